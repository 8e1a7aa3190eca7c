/** Runs whose process is suspended while it copies rows: the server waits without a limit. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { startNode } from "@stowage/process/testing";
import pg from "pg";
import { bucketLine, importLines, select } from "../../import/testing/import.ts";
import {
  addSource,
  bucketId,
  contentsOf,
  hostname,
  openTestPool,
  type RunsTest,
  readIndex,
  runFake,
  startRunsTest,
} from "../testing/source-runs.ts";

let test: RunsTest;
beforeEach(async () => {
  test = await startRunsTest();
  for (let number = 0; number < 30; number++) test.store.put(`${number % 3}/${number}`, 1);
  await addSource(test.database.databaseUrl, "photos");
});
afterEach(() => test.close());

const timed = { timeout: 60_000 };

/**
 * Runs `during` while a run has begun to copy rows into such a table, for the second time, and
 * sends none.
 */
async function whileCopying(
  table: RegExp,
  during: (suspended: Promise<unknown>) => Promise<void>,
): Promise<void> {
  const copying = Promise.withResolvers<void>();
  let copies = 0;
  class SuspendedClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      const query: (...parameters: unknown[]) => unknown = this.query.bind(this);
      const suspend = (statement: { text?: string; end?: unknown }, ...others: unknown[]) => {
        const result = query(statement, ...others);
        if (table.test(statement.text ?? "") && ++copies === 2) {
          statement.end = () => undefined;
          copying.resolve();
        }
        return result;
      };
      this.query = suspend as typeof this.query;
    }
  }
  const pool = openTestPool(test.database.databaseUrl, { Client: SuspendedClient });
  const stop = new AbortController();
  // It does not renew its lease either.
  const options = { leaseMs: 3_600_000, batchSize: 10, signal: stop.signal };
  const suspended = runFake(pool, "photos", test.store, options);
  try {
    await Promise.race([copying.promise, suspended]);
    const expire = "update uploads.sources set lease_holder = 'another', lease_until = now()";
    await select(test.database.databaseUrl, expire);
    await during(suspended);
  } finally {
    stop.abort();
    await suspended.catch(() => undefined);
    await pool.end();
  }
}

describe("of a process that is suspended while it stores a listing", () => {
  const intoListing = /^copy seen_uploads/;

  it("another process takes over the run", timed, () =>
    whileCopying(intoListing, async (suspended) => {
      assert.equal((await runFake(test.pool, "photos", test.store)).outcome, "complete");
      assert.deepEqual(await readIndex(test.database.databaseUrl), contentsOf(test.store));
      await assert.rejects(suspended, { name: "LeaseLostError" });
    }),
  );

  it("the source can be removed", timed, () =>
    whileCopying(intoListing, async () => {
      const program = fileURLToPath(new URL("../../commands/sources.ts", import.meta.url));
      const env = { DATABASE_URL: test.database.databaseUrl };
      const { exitCode, stderr } = await startNode([program, "remove", "photos"], { env }).ended;
      assert.equal(exitCode, 0, stderr);
    }),
  );
});

it("a process that is suspended while it copies changes does not lock the bucket", timed, () =>
  whileCopying(/^copy staged_/, async () => {
    const { databaseUrl } = test.database;
    await importLines(databaseUrl, [bucketLine(bucketId, { hostname, organisationId: "acme" })]);
    assert.equal((await runFake(test.pool, "photos", test.store)).outcome, "complete");
  }),
);
