import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { createLogger, openPool } from "@stowage/process";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { createDatabase, type Database } from "./database.ts";
import { RawClient } from "./raw-client.ts";
import type { Statements } from "./statements.ts";
import { openPools } from "./testing/open-pools.ts";

const logger = createLogger({ name: "test", level: "silent" });
const forever = new AbortController().signal;
const connectionsMax = 4;

describe("the connections of aborted calls", () => {
  let testDatabase: TestDatabase;
  let pool: pg.Pool;
  let cancelPool: pg.Pool;
  let observer: pg.Pool;
  let database: Database;
  let close: () => Promise<void>;

  before(async () => {
    testDatabase = await createTestDatabase();
    const { databaseUrl } = testDatabase;
    const options = { connectionsMax, applicationName: "aborted-test" };
    ({ pool, cancelPool, database, close } = openPools(databaseUrl, options));
    observer = openPool({ databaseUrl, logger, connectionsMax, applicationName: "observer-test" });
  });
  beforeEach(async () => {
    const opening = Array.from({ length: connectionsMax }, () => pool.connect());
    for (const client of await Promise.all(opening)) client.release();
  });
  after(async () => {
    await Promise.all([close(), observer.end()]);
    await testDatabase.drop();
  });

  async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
  }

  const untilIdle = () => until(() => pool.idleCount === pool.totalCount);

  async function backends(): Promise<number[]> {
    const { rows } = await observer.query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'aborted-test' order by pid",
    );
    return rows.map((row) => row.pid);
  }

  async function isRunning(text: string): Promise<boolean> {
    const { rowCount } = await observer.query(
      `select from pg_stat_activity where datname = current_database()
      and state = 'active' and pid <> pg_backend_pid() and position($1 in query) > 0`,
      [text],
    );
    return rowCount !== 0;
  }

  async function cancel(text: string): Promise<void> {
    await observer.query(
      `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database()
      and state = 'active' and pid <> pg_backend_pid() and position($1 in query) > 0`,
      [text],
    );
  }

  /** Ways to keep a connection busy. */
  const slow: Record<string, (statements: Statements) => Promise<unknown>> = {
    "a statement": ({ run }) => run("select pg_sleep(59)"),
    "a column": ({ readColumn }) =>
      readColumn({ text: "select pg_sleep(59)::text", values: [], name: "sleeping" }),
    "a column of many rows": ({ readColumn }) =>
      readColumn({ text: "select generate_series(1, 100000000)::text", values: [] }),
    "a stream": ({ stream }) =>
      stream("select generate_series(1, 100000000)", {}, { onRow() {}, async afterChunk() {} }),
    "a stream that waits": ({ stream }) =>
      stream(
        "select generate_series(1, 100000000)",
        {},
        { onRow() {}, afterChunk: () => new Promise(() => {}) },
      ),
  };
  const searched: Record<string, string> = { "a statement": "sleep", "a column": "sleep" };

  for (const snapshot of [false, true]) {
    for (const [name, work] of Object.entries(slow)) {
      it(`are kept: ${name}, snapshot: ${snapshot}`, async () => {
        const before = await backends();
        const stop = new AbortController();
        const reading = database.read({ signal: stop.signal, snapshot }, work);
        await until(() => isRunning(searched[name] ?? "generate_series"));
        const reason = new Error("time is up");
        stop.abort(reason);
        await assert.rejects(reading, reason);
        await untilIdle();
        assert.deepEqual(await backends(), before);
        assert.equal(await isRunning(searched[name] ?? "generate_series"), false);
        const { rows } = await observer.query(
          `select from pg_stat_activity where application_name = 'aborted-test'
          and state <> 'idle'`,
        );
        assert.equal(rows.length, 0, "no transaction is open");
      });
    }
  }

  it("keep their prepared statements", async () => {
    const prepared = { text: "select pg_sleep($1)::text", name: "kept" };
    const sleep = (signal: AbortSignal, seconds: number) =>
      database.read({ signal }, ({ readColumn }) => readColumn({ ...prepared, values: [seconds] }));
    const stop = new AbortController();
    const reading = sleep(stop.signal, 59);
    await until(() => isRunning("pg_sleep($1)"));
    stop.abort(new Error("time is up"));
    await assert.rejects(reading);
    await untilIdle();
    // The pool gives the connection that was returned last.
    const names = await database.read({ signal: forever }, ({ run }) =>
      run<{ name: string }>("select name from pg_prepared_statements where name = 'kept'"),
    );
    assert.equal(names.length, 1);
    await sleep(forever, 0);
  });

  it("survive 400 calls with short deadlines", async () => {
    const before = await backends();
    const signalOf = (n: number) => AbortSignal.timeout(n % 4 === 3 ? 60_000 : 1 + (n % 30));
    const calls = Array.from({ length: 400 }, (_, n) =>
      database
        .read({ signal: signalOf(n), snapshot: n % 2 === 0 }, ({ run }) =>
          run("select pg_sleep(0.004)"),
        )
        .then(
          () => "answered",
          (error) => error.name,
        ),
    );
    const outcomes = new Set(await Promise.all(calls));
    assert.deepEqual([...outcomes].toSorted(), ["TimeoutError", "answered"]);
    await untilIdle();
    assert.deepEqual(await backends(), before);
    await observer.query("select pg_stat_clear_snapshot()");
    const { rows } = await observer.query(
      `select sessions_killed::int, sessions_fatal::int from pg_stat_database
      where datname = current_database()`,
    );
    assert.deepEqual(rows, [{ sessions_killed: 0, sessions_fatal: 0 }]);
  });

  it("are not cancelled if no statement runs", async () => {
    let requests = 0;
    const counting = {
      query: async () => {
        requests += 1;
      },
    } as unknown as pg.Pool;
    const counted = createDatabase(pool, counting);
    for (const snapshot of [false, true]) {
      const stop = new AbortController();
      const reading = counted.read({ signal: stop.signal, snapshot }, async ({ run }) => {
        await run("select 1");
        stop.abort(new Error("enough"));
        await run("select 1");
      });
      await assert.rejects(reading, { message: "enough" });
      await untilIdle();
    }
    assert.equal(requests, 0);
  });

  it("never cancel a process of another server that has the same ID", async () => {
    const stranger = await observer.connect();
    const { rows } = await stranger.query<{ pid: number }>("select pg_backend_pid() as pid");
    const working = assert.rejects(stranger.query("select pg_sleep(57)"), { code: "57014" });
    // What the statement would do on a server that gave the ID to the stranger.
    let requests = 0;
    const otherServer = {
      async query({ values: [, ...values], ...statement }: Required<pg.QueryConfig>) {
        await cancelPool.query({ ...statement, values: [rows[0]?.pid, ...values] });
        requests += 1;
      },
    } as unknown as pg.Pool;
    const stop = new AbortController();
    const reading = createDatabase(pool, otherServer).read({ signal: stop.signal }, ({ run }) =>
      run("select pg_sleep(56)"),
    );
    try {
      await until(
        async () => (await isRunning("pg_sleep(56)")) && (await isRunning("pg_sleep(57)")),
      );
      stop.abort(new Error("time is up"));
      await assert.rejects(reading, { message: "time is up" });
      await until(() => requests >= 3);
      assert.equal(await isRunning("pg_sleep(57)"), true);
    } finally {
      await Promise.all(["pg_sleep(56)", "pg_sleep(57)"].map(cancel));
      await working;
      stranger.release();
    }
    await untilIdle();
  });

  it("return to the pool before it ends", async () => {
    const ending = openPool({
      databaseUrl: testDatabase.databaseUrl,
      applicationName: "ending-test",
      logger,
      connectionsMax: 1,
      Client: RawClient,
    });
    const stop = new AbortController();
    const reading = createDatabase(ending, cancelPool).read({ signal: stop.signal }, ({ run }) =>
      run("select pg_sleep(58)"),
    );
    const rejected = assert.rejects(reading, { message: "the program ends" });
    await until(() => isRunning("pg_sleep(58)"));
    stop.abort(new Error("the program ends"));
    await Promise.all([rejected, ending.end()]);
    assert.equal(await isRunning("pg_sleep(58)"), false);
  });
});
