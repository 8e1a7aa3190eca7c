import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createTestDatabase, type TestDatabase, until } from "@stowage/process/testing";
import type pg from "pg";
import type { Database } from "./database.ts";
import { bindParameters } from "./named-parameters.ts";
import type { RawClient } from "./raw-client.ts";
import { streamRows } from "./row-stream.ts";
import { openPools } from "./testing/open-pools.ts";

const forever = new AbortController().signal;

describe("Database.read() with a stream of rows", () => {
  let testDatabase: TestDatabase;
  let pool: pg.Pool;
  let cancelPool: pg.Pool;
  let database: Database;
  let close: () => Promise<void>;

  before(async () => {
    testDatabase = await createTestDatabase();
    ({ pool, cancelPool, database, close } = open(2));
  });
  after(async () => {
    await close();
    await testDatabase.drop();
  });

  const open = (connectionsMax: number) =>
    openPools(testDatabase.databaseUrl, { connectionsMax, applicationName: "stream-test" });

  // Written like this, the rows are made as they are read.
  const numbers = "select generate_series(1, :count::int), repeat('x', 1000)";
  const ignore = () => {};
  const goOn = async () => {};
  const never = () => new Promise<void>(() => {});

  it("gives the rows of a stream as they come, and keeps its connection", async () => {
    let rowCount = 0;
    let pauseCount = 0;
    const read = { signal: forever, snapshot: true };
    const pids = await database.read(read, async ({ run, stream }) => {
      const onRow = (_: Buffer, start: number, end: number) => {
        rowCount += end - start > 1000 ? 1 : 0;
      };
      const afterChunk = async () => {
        pauseCount += 1;
      };
      await stream(numbers, { count: 1000 }, { onRow, afterChunk });
      return run<{ pid: number }>("select pg_backend_pid() as pid");
    });
    assert.equal(rowCount, 1000);
    assert.ok(pauseCount > 1);
    await until("all connections are idle", () => pool.idleCount === pool.totalCount);
    const after = await database.read({ signal: forever }, ({ run }) =>
      run("select pg_backend_pid() as pid"),
    );
    assert.deepEqual(after, pids);
  });

  it("takes no more rows of a stream before it may", async () => {
    let rowCount = 0;
    let mayGoOn = Promise.withResolvers<void>();
    const reading = database.read({ signal: forever }, ({ stream }) =>
      stream(
        numbers,
        { count: 20_000 },
        {
          onRow() {
            rowCount += 1;
          },
          afterChunk: () => mayGoOn.promise,
        },
      ),
    );
    await until("the first rows have come", () => rowCount > 0);
    const before = rowCount;
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(rowCount, before);
    mayGoOn.resolve();
    mayGoOn = Promise.withResolvers();
    mayGoOn.resolve();
    await reading;
    assert.equal(rowCount, 20_000);
  });

  it("lets the server make few rows before they are taken", async () => {
    await pool.query("create sequence made");
    const rowsMade = async () => {
      const { rows } = await cancelPool.query<{ made: number }>(
        "select last_value::int as made from made",
      );
      return rows[0]?.made ?? 0;
    };
    const stop = new AbortController();
    const reading = database.read({ signal: stop.signal }, ({ stream }) =>
      stream(
        "select nextval('made') from generate_series(1, 100000)",
        {},
        { onRow: ignore, afterChunk: never },
      ),
    );
    const aheadMax = 250 + 500;
    await until("the server has made rows", async () => (await rowsMade()) >= aheadMax);
    for (let turn = 0; turn < 20; turn++) assert.equal(await rowsMade(), aheadMax);
    stop.abort(new Error("enough"));
    await assert.rejects(reading, { message: "enough" });
  });

  it("leaves the stream of the next call alone if an aborted one fails late", async () => {
    // Both calls share its only connection.
    const narrow = open(1);
    const late = Promise.withResolvers<void>();
    const waiting = Promise.withResolvers<void>();
    const stop = new AbortController();
    const aborted = narrow.database.read({ signal: stop.signal }, ({ stream }) =>
      stream(
        numbers,
        { count: 20_000 },
        {
          onRow: ignore,
          afterChunk() {
            waiting.resolve();
            return late.promise;
          },
        },
      ),
    );
    await waiting.promise;
    stop.abort(new Error("enough"));
    await assert.rejects(aborted, { message: "enough" });
    let rowCount = 0;
    const mayGoOn = Promise.withResolvers<void>();
    const onRow = () => {
      rowCount += 1;
    };
    const reading = narrow.database.read({ signal: forever }, ({ stream }) =>
      stream(numbers, { count: 20_000 }, { onRow, afterChunk: () => mayGoOn.promise }),
    );
    await until("the first rows have come", () => rowCount > 0);
    const before = rowCount;
    late.reject(new Error("late"));
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(rowCount, before);
    mayGoOn.resolve();
    await reading;
    assert.equal(rowCount, 20_000);
    await narrow.close();
  });

  it("does not disturb the statement that it waits for if the signal aborts", async () => {
    const client = (await pool.connect()) as pg.PoolClient & RawClient;
    const stop = new AbortController();
    const earlier = client.query("select pg_sleep(0.1), 1 as number");
    const statement = bindParameters(numbers, { count: 10 });
    const streaming = streamRows(client, statement, stop.signal, {
      onRow: () => assert.fail("it was aborted"),
      afterChunk: goOn,
    });
    const later = client.query("select 2 as number");
    stop.abort(new Error("enough"));
    await assert.rejects(streaming, { message: "enough" });
    assert.equal((await earlier).rows[0].number, 1);
    assert.equal((await later).rows[0].number, 2);
    client.release();
  });

  async function streamingStatements(): Promise<number> {
    const { rows } = await pool.query<{ count: string }>(
      `select count(*) from pg_stat_activity
      where query like '%generate_series%' and state <> 'idle'
        and datname = current_database() and pid <> pg_backend_pid()`,
    );
    return Number(rows[0]?.count);
  }

  for (const snapshot of [false, true]) {
    const enough = new Error("enough");
    const stops: Record<string, [onRow: () => void, afterChunk: () => Promise<void>]> = {
      "row by row": [
        () => {
          throw enough;
        },
        goOn,
      ],
      "in between": [ignore, () => Promise.reject(enough)],
    };
    for (const [name, [onRow, afterChunk]] of Object.entries(stops)) {
      it(`ends a stream that is stopped ${name}, snapshot: ${snapshot}`, async () => {
        const reading = database.read({ signal: forever, snapshot }, ({ stream }) =>
          stream(numbers, { count: 100_000_000 }, { onRow, afterChunk }),
        );
        await assert.rejects(reading, enough);
        await until("the statement is over", async () => (await streamingStatements()) === 0);
      });
    }

    it(`ends a stream that is held up when the signal aborts, snapshot: ${snapshot}`, async () => {
      const stop = new AbortController();
      const reading = database.read({ signal: stop.signal, snapshot }, ({ stream }) =>
        stream(numbers, { count: 100_000_000 }, { onRow: ignore, afterChunk: never }),
      );
      await until("the statement runs", async () => (await streamingStatements()) === 1);
      const reason = new Error("time is up");
      stop.abort(reason);
      await assert.rejects(reading, reason);
      await until("the statement is over", async () => (await streamingStatements()) === 0);
    });
  }

  it("passes on what the work throws, even if it looks like a lost connection", async () => {
    const hangUp = Object.assign(new Error("write ECONNRESET"), { code: "ECONNRESET" });
    const reading = database.read({ signal: forever, snapshot: true }, ({ stream }) =>
      stream(
        numbers,
        { count: 100_000 },
        { onRow: ignore, afterChunk: () => Promise.reject(hangUp) },
      ),
    );
    await assert.rejects(reading, hangUp);
  });

  it("passes on what a stream fails with in its midst, and goes on after it", async () => {
    let rowCount = 0;
    const failing = database.read({ signal: forever }, ({ stream }) => {
      const text = "select 1 / (50000 - generate_series(1, 100000))";
      const onRow = () => {
        rowCount += 1;
      };
      return stream(text, {}, { onRow, afterChunk: goOn });
    });
    await assert.rejects(failing, { code: "22012" });
    assert.ok(rowCount > 10_000);
    assert.equal(
      (await database.read({ signal: forever }, ({ run }) => run("select 1"))).length,
      1,
    );
  });
});
