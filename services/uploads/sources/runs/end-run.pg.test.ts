import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { findSource } from "../source.ts";
import { addSource, type RunsTest, runFake, startRunsTest } from "../testing/source-runs.ts";

let test: RunsTest;
before(async () => {
  test = await startRunsTest();
});
after(() => test.close());

it("a source without a schedule has no next run after one that failed or stopped", async () => {
  const { database, pool, store } = test;
  await addSource(database.databaseUrl, "photos");
  store.beforePage = () => {
    throw new Error("access denied");
  };
  await assert.rejects(runFake(pool, "photos", store), /access denied/);
  const failed = await findSource(pool, "photos");
  assert.deepEqual([failed.outcome, failed.nextRunAt], ["failed", undefined]);

  store.beforePage = () => undefined;
  await runFake(pool, "photos", store);
  const stopped = await findSource(pool, "photos");
  assert.deepEqual([stopped.outcome, stopped.nextRunAt], ["stopped", undefined]);
});
