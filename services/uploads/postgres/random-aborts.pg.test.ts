import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import type { Database } from "./database.ts";
import type { Statements } from "./statements.ts";
import { openPools } from "./testing/open-pools.ts";

const connectionsMax = 4;
const callers = 8;
const callsOfEach = 150;

/** Each gives back its number, by a statement that takes a while. */
const works: readonly ((statements: Statements, n: number) => Promise<number | undefined>)[] = [
  async ({ run }, n) => {
    const values = { n, seconds: (n % 5) / 1000 };
    const rows = await run<{ n: number }>("select :n::int as n, pg_sleep(:seconds)", values);
    return rows[0]?.n;
  },
  async ({ readColumn }, n) => {
    const column = await readColumn({
      name: `numbers ${n % 3}`,
      text: `select ($1 + n)::text from generate_series(0, ${(n % 3) * 5000}) n`,
      values: [n],
    });
    return Number(column.at(-1)) - (n % 3) * 5000;
  },
  async ({ stream }, n) => {
    let rowCount = 0;
    const onRow = () => {
      rowCount += 1;
    };
    const afterChunk = () => new Promise<void>((resolve) => setImmediate(resolve));
    const text = "select generate_series(1, :count::int)";
    await stream(text, { count: n * 10 }, { onRow, afterChunk });
    return rowCount / 10;
  },
];

describe("random aborts", () => {
  let testDatabase: TestDatabase;
  let pool: pg.Pool;
  let database: Database;
  let close: () => Promise<void>;

  before(async () => {
    testDatabase = await createTestDatabase();
    const options = { connectionsMax, applicationName: "random-aborts-test" };
    ({ pool, database, close } = openPools(testDatabase.databaseUrl, options));
  });
  after(async () => {
    await close();
    await testDatabase.drop();
  });

  const enough = new Error("enough");

  /** A signal that aborts at a random moment: within 6 ms, often at once. */
  function randomSignal(): AbortSignal {
    const stop = new AbortController();
    const abort = () => stop.abort(enough);
    if (Math.random() < 0.2) setImmediate(abort);
    else setTimeout(abort, Math.random() * 6);
    return stop.signal;
  }

  it("never cost another call its statement, nor a connection", async () => {
    let opened = 0;
    pool.on("connect", () => {
      opened += 1;
    });
    let aborted = 0;
    const patient = async (seed: number) => {
      for (let n = 1; n <= callsOfEach; n++) {
        const options = { signal: new AbortController().signal, snapshot: Math.random() < 0.3 };
        const work = works[(seed + n) % works.length];
        const result = await database.read(options, async (statements) => work?.(statements, n));
        assert.equal(result, n);
      }
    };
    const impatient = async (seed: number) => {
      for (let n = 1; n <= callsOfEach; n++) {
        const options = { signal: randomSignal(), snapshot: Math.random() < 0.3 };
        const work = works[(seed + n) % works.length];
        const reading = database.read(options, async (statements) => work?.(statements, n));
        const result = await reading.catch((error) => {
          assert.equal(error, enough);
          aborted += 1;
          return n;
        });
        assert.equal(result, n);
      }
    };
    const calling = Array.from({ length: callers }, (_, seed) =>
      seed % 2 === 0 ? patient(seed) : impatient(seed),
    );
    await Promise.all(calling);
    assert.ok(aborted > callsOfEach / 2, `${aborted} calls were aborted`);
    assert.ok(opened <= connectionsMax, `${opened} connections were opened`);
  });
});
