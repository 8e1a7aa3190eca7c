/** A network that swallows what is sent on existing connections, and lets new ones through. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import type pg from "pg";
import {
  createLogger,
  inTransaction,
  isDatabaseUnavailable,
  openPool,
  type PoolOptions,
} from "../index.ts";
import {
  createTestDatabase,
  type DatabaseRelay,
  relayDatabase,
  type TestDatabase,
} from "../testing/index.ts";

/** What services promise their callers, on a machine that is not busy. */
const recoveryMaxMs = 2000;

describe("a pool whose connections freeze", () => {
  let database: TestDatabase;
  let relay: DatabaseRelay;
  let observer: pg.Pool;
  let pool: pg.Pool;
  const connectionsMax = 4;

  const open = (options: Partial<PoolOptions> = {}) =>
    openPool({
      databaseUrl: relay.databaseUrl,
      connectionsMax,
      applicationName: "lost-test",
      logger: createLogger({ name: "test", level: "silent" }),
      ...options,
    });

  before(async () => {
    database = await createTestDatabase();
    relay = await relayDatabase(database.databaseUrl);
    observer = open({ databaseUrl: database.databaseUrl, applicationName: "observer" });
    await observer.query("create table things (id int primary key, value int)");
    await observer.query("insert into things values (1, 0)");
  });
  beforeEach(async () => {
    await pool?.end();
    await relay.mend();
    pool = open();
    const clients = Array.from({ length: connectionsMax }, () => pool.connect());
    for (const client of await Promise.all(clients)) client.release();
  });
  after(async () => {
    await pool.end();
    await relay.cut();
    await observer.end();
    await database.drop();
  });

  /** The time until a query is answered; queries that fail are outages and are sent again. */
  async function timeToAnswerMs(): Promise<number> {
    const startMs = performance.now();
    for (;;) {
      try {
        await pool.query("select 1");
        return performance.now() - startMs;
      } catch (error) {
        assert.ok(isDatabaseUnavailable(error), String(error));
      }
    }
  }

  /** On a busy machine, connecting takes long, and everything else does too. */
  async function patienceMs(): Promise<number> {
    const startMs = performance.now();
    const fresh = open({ databaseUrl: database.databaseUrl });
    await fresh.query("select 1");
    await fresh.end();
    return recoveryMaxMs + 5 * (performance.now() - startMs);
  }

  // First, because the server may notice late what the other tests abandon.
  it("abandons none of those that it opens to ask about slow statements", async () => {
    const opened = async () => {
      const { rows } = await observer.query<{ open: number; abandoned: number }>(
        `select sessions_abandoned::int as abandoned,
           (select count(*)::int from pg_stat_activity where application_name = 'lost-test') as open
         from pg_stat_database where datname = current_database()`,
      );
      return rows[0]!;
    };
    const { open, abandoned } = await opened();
    const slow = pool.query("select pg_sleep(2.5)");
    while ((await opened()).open === open);
    await slow;
    while ((await opened()).open !== open);
    assert.equal((await opened()).abandoned, abandoned);
  });

  it("answers on new ones within 2 s, however many queries were sent on the old", async () => {
    relay.freeze();
    const sent = Promise.allSettled(Array.from({ length: 24 }, () => pool.query("select 1")));
    const tookMs = await timeToAnswerMs();
    assert.ok(tookMs < (await patienceMs()), `took ${tookMs} ms`);
    for (const outcome of await sent) {
      if (outcome.status === "rejected") assert.ok(isDatabaseUnavailable(outcome.reason));
    }
    assert.ok(pool.totalCount < connectionsMax + 1, "the old ones are gone");
  });

  it("ends the transactions on the old ones, which hold locks", async () => {
    const changing = inTransaction(pool, async (client) => {
      await client.query("update things set value = value + 1");
      relay.freeze();
    });
    await assert.rejects(changing, isDatabaseUnavailable);
    await observer.query("set lock_timeout = 2000; update things set value = value + 10");
    const { rows } = await pool.query("select value from things");
    assert.equal(rows[0].value % 10, 0);
  });

  it("fails a statement that waits until it is asked for more rows", async () => {
    const client = await pool.connect();
    client.on("error", () => undefined);
    const begun = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<Error>();
    const ignore = () => undefined;
    client.query({
      submit(connection: pg.Connection) {
        connection.parse({ name: "", text: "select generate_series(1, 10)", types: [] }, false);
        connection.bind({}, false);
        connection.execute({ rows: "1" }, false);
        connection.flush();
      },
      handleDataRow: ignore,
      handlePortalSuspended: begun.resolve,
      handleError: failed.resolve,
      handleReadyForQuery: ignore,
    } as pg.Submittable);
    await begun.promise;
    relay.freeze();
    assert.ok(isDatabaseUnavailable(await failed.promise));
    client.release(true);
  });

  it("keeps those whose statements take long", async () => {
    const results = await Promise.all([
      pool.query("select pg_sleep(2.5), pg_backend_pid() as id"),
      pool.query("select pg_sleep(1.5), pg_backend_pid() as id"),
    ]);
    assert.deepEqual(
      results.map(({ rowCount }) => rowCount),
      [1, 1],
    );
    assert.equal(pool.totalCount, connectionsMax);
  });

  it("keeps those whose statements take long if no other connection is possible", async () => {
    await pool.end();
    pool = open({ silenceMaxMs: 1000, connectionsMax: 1 });
    await pool.query("select 1");
    const name = new URL(database.databaseUrl).pathname.slice(1);
    await observer.query(`alter database "${name}" connection limit 0`);
    const { rowCount } = await pool.query("select pg_sleep(3)");
    assert.equal(rowCount, 1);
    await observer.query(`alter database "${name}" connection limit -1`);
  });

  it("keeps those of a database that does not answer for a while", async () => {
    relay.stall();
    const answer = pool.query("select 1 as one");
    await setTimeout(3000);
    await relay.mend();
    assert.equal((await answer).rows[0].one, 1);
    assert.equal(pool.totalCount, connectionsMax);
  });

  it("gives up when nothing answers, and recovers with the network", async () => {
    await pool.end();
    pool = open({ silenceMaxMs: 3000 });
    await pool.query("select 1");
    relay.stall();
    const queries = Array.from({ length: 3 }, () => pool.query("select 1"));
    for (const outcome of await Promise.allSettled(queries)) {
      assert.ok(outcome.status === "rejected" && isDatabaseUnavailable(outcome.reason));
    }
    const late = pool.query("select 1").catch(() => undefined);
    await relay.cut();
    await relay.mend();
    const tookMs = await timeToAnswerMs();
    assert.ok(tookMs < (await patienceMs()), `took ${tookMs} ms`);
    await late;
  });

  it("can end", async () => {
    relay.freeze();
    await pool.end();
    pool = open();
    const startMs = performance.now();
    while ((await sessions()) > 0) assert.ok(performance.now() - startMs < 5000);
  });

  const sessions = async () =>
    (await observer.query("select from pg_stat_activity where application_name = 'lost-test'"))
      .rowCount ?? 0;
});
