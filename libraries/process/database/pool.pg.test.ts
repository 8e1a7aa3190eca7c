import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import type pg from "pg";
import {
  createLogger,
  inTransaction,
  isDatabaseUnavailable,
  openPool,
  type PoolOptions,
} from "../index.ts";
import { createTestDatabase, relayDatabase, type TestDatabase } from "../testing/index.ts";

describe("openPool()", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  function open(options: Partial<PoolOptions> = {}) {
    return openPool({
      databaseUrl: database.databaseUrl,
      connectionsMax: 2,
      applicationName: "pool-test",
      logger: createLogger({ name: "test", level: "silent" }),
      ...options,
    });
  }

  const settings = `select current_setting('TimeZone') as zone,
    current_setting('DateStyle') as date,
    current_setting('client_encoding') as encoding, current_setting('application_name') as name,
    current_setting('work_mem') as memory`;

  it("connects in UTF-8, UTC and ISO dates under the program's name", async () => {
    const pool = open();
    const { rows } = await pool.query(settings);
    const { zone, date, encoding, name } = rows[0];
    assert.deepEqual([zone, encoding, name], ["UTC", "UTF8", "pool-test"]);
    assert.match(date, /^ISO, /);
    await pool.end();
  });

  it("keeps the options of the address, but not over its own", async () => {
    const url = new URL(database.databaseUrl);
    url.searchParams.set("options", "-c work_mem=5MB -c TimeZone=Asia/Tokyo");
    const pool = open({ databaseUrl: url.href });
    const { rows } = await pool.query(settings);
    assert.deepEqual([rows[0].zone, rows[0].memory], ["UTC", "5MB"]);
    await pool.end();
  });

  it("returns int8 as text, and accepts custom type parsers", async () => {
    const query = "select 9007199254740993::int8 as number";
    const plain = open();
    assert.equal((await plain.query(query)).rows[0].number, "9007199254740993");
    await plain.end();
    const own = open({ types: { getTypeParser: () => () => "parsed" } });
    assert.equal((await own.query(query)).rows[0].number, "parsed");
    await own.end();
  });

  it("opens no more connections than it may", async () => {
    const pool = open();
    const queries = Array.from({ length: 10 }, () => pool.query("select pg_sleep(0.01)"));
    await Promise.all(queries);
    assert.equal(pool.totalCount, 2);
    await pool.end();
  });

  it("lives on when an idle connection breaks, and says so", async () => {
    const pool = open();
    const { rows } = await pool.query("select pg_backend_pid() as id");
    const broken = once(pool, "error");
    const other = open();
    await other.query("select pg_terminate_backend($1)", [rows[0].id]);
    await broken;
    assert.equal((await pool.query("select 1 as one")).rows[0].one, 1);
    await Promise.all([pool.end(), other.end()]);
  });
});

describe("a pool whose connections the network swallows", () => {
  it("fails its statements in time, and goes on with new connections", async (test) => {
    const { databaseUrl, drop } = await createTestDatabase();
    const relay = await relayDatabase(databaseUrl);
    const pool = openPool({
      databaseUrl: relay.databaseUrl,
      connectionsMax: 2,
      applicationName: "frozen-test",
      logger: createLogger({ name: "test", level: "silent" }),
      statementTimeoutMs: 500,
    });
    test.after(async () => {
      await relay.cut();
      await pool.end();
      await drop();
    });
    await Promise.all([pool.query("select pg_sleep(0.1)"), pool.query("select 1")]);
    const frozen = inTransaction(pool, async (client) => {
      await client.query("select 1");
      relay.freeze();
      await client.query("select 2");
    });
    await assert.rejects(frozen, isDatabaseUnavailable);
    await assert.rejects(pool.query("select 1"), isDatabaseUnavailable);
    assert.equal((await pool.query("select 1 as one")).rows[0].one, 1);
  });
});

describe("isDatabaseUnavailable()", () => {
  const states = {
    "08006": true,
    "22012": false,
    "25006": true,
    "25P02": false,
    "28000": true,
    "28P01": true,
    "3D000": true,
    "53100": true,
    "53200": true,
    "53300": true,
    "53400": false,
    "57014": false,
    "57P01": true,
    "57P04": true,
    CERT_HAS_EXPIRED: true,
    ERR_TLS_CERT_ALTNAME_INVALID: true,
    ERR_INVALID_ARG_TYPE: false,
  };
  for (const [code, isUnavailable] of Object.entries(states)) {
    it(`code ${code}: ${isUnavailable}`, () => {
      const error = Object.assign(new Error("a message"), { code });
      assert.equal(isDatabaseUnavailable(error), isUnavailable);
    });
  }
});

describe("inTransaction()", () => {
  let database: TestDatabase;
  let pool: ReturnType<typeof openPool>;
  before(async () => {
    database = await createTestDatabase();
    pool = openPool({
      databaseUrl: database.databaseUrl,
      connectionsMax: 1,
      applicationName: "transaction-test",
      logger: createLogger({ name: "test", level: "silent" }),
    });
    await pool.query("create table names (name text)");
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  for (const what of ["pool", "client"] as const) {
    it(`commits or rolls back on a ${what}, which can be used again`, async () => {
      const client = what === "client" ? await pool.connect() : undefined;
      const add = (name: string, end: () => void) =>
        inTransaction(client ?? pool, async (connection) => {
          await connection.query("insert into names values ($1)", [name]);
          end();
          return name;
        });
      const fail = () => {
        throw new Error("cannot go on");
      };
      assert.equal(await add(`${what} 1`, () => undefined), `${what} 1`);
      await assert.rejects(add(`${what} 2`, fail), { message: "cannot go on" });
      await add(`${what} 3`, () => undefined);
      client?.release();
      const { rows } = await pool.query("select name from names where name like $1 || '%'", [what]);
      assert.deepEqual(
        rows.map(({ name }) => name),
        [`${what} 1`, `${what} 3`],
      );
    });
  }

  const processId = async (connection: pg.Pool | pg.ClientBase) =>
    (await connection.query("select pg_backend_pid() as id")).rows[0].id;

  for (const [what, statement] of [
    ["the action", "select 1"],
    ["a statement", "select 1 / 0"],
  ] as const) {
    it(`keeps the connection when ${what} fails`, async () => {
      const before = await processId(pool);
      const failing = inTransaction(pool, async (connection) => {
        await connection.query("insert into names values ('refused')");
        await connection.query(statement);
        throw new Error("refused");
      });
      await assert.rejects(failing);
      assert.equal(await processId(pool), before);
      const { rowCount } = await pool.query("select from names where name = 'refused'");
      assert.equal(rowCount, 0);
    });
  }

  it("closes a connection that cannot roll back", async () => {
    const ended = inTransaction(pool, async (connection) => {
      await connection
        .query("select pg_terminate_backend(pg_backend_pid())")
        .catch(() => undefined);
      throw new Error("refused");
    });
    await assert.rejects(ended, { message: "refused" });
    assert.equal((await pool.query("select 1 as one")).rows[0].one, 1);
  });
});
