import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import { select } from "../../import/testing/import.ts";
import { findSource } from "../source.ts";
import { addSource, type RunsTest, runFake, startRunsTest } from "../testing/source-runs.ts";

let test: RunsTest;
beforeEach(async () => {
  test = await startRunsTest();
});
afterEach(() => test.close());

it("a source has the time of what its last complete run found, or of its report", async () => {
  const { database, pool, store } = test;
  await addSource(database.databaseUrl, "photos");
  store.put("a", 1);
  const madeAt = new Date(Date.now() - 33 * 3_600_000);
  await runFake(pool, "photos", store, { inventory: "s3://reports/manifest.json", madeAt });
  assert.deepEqual((await findSource(pool, "photos")).listedAt, madeAt);
  const { startedAt } = await runFake(pool, "photos", store);
  const { listedAt, lastCompleteAt } = await findSource(pool, "photos");
  assert.deepEqual([listedAt, lastCompleteAt], [startedAt, startedAt]);
});

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

it("a source that fails again and again waits twice as long each time, up to an hour", async () => {
  const { database, pool, store } = test;
  await addSource(database.databaseUrl, "photos", "/", { everyMs: 60_000 });
  store.beforePage = () => {
    throw new Error("access denied");
  };
  for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
    const beganMs = Date.now();
    await assert.rejects(runFake(pool, "photos", store), /access denied/);
    const { nextRunAt } = await findSource(pool, "photos");
    const inMs = (nextRunAt?.getTime() ?? 0) - Date.now();
    const tookMs = Date.now() - beganMs;
    assert.ok(inMs <= minutes * 60_000, `the next run is in ${inMs} ms, need ${minutes} minutes`);
    assert.ok(inMs >= minutes * 60_000 - tookMs, `the next run is in ${inMs} ms`);
  }
});

it("a source that fails for the hundredth time is due at its next regular time", async () => {
  const { database, pool, store } = test;
  const everyMs = 366 * 86_400_000;
  await addSource(database.databaseUrl, "photos", "/", { everyMs });
  await select(database.databaseUrl, "update uploads.sources set failures = 99");
  store.beforePage = () => {
    throw new Error("access denied");
  };
  await assert.rejects(runFake(pool, "photos", store), /access denied/);
  const { failures, nextRunAt } = await findSource(pool, "photos");
  assert.equal(failures, 100);
  const inMs = (nextRunAt?.getTime() ?? 0) - Date.now();
  assert.ok(inMs > everyMs / 2 && inMs <= everyMs, `the next run is in ${inMs} ms`);
});

it("a source that gets other options during a run is due again when it ends", async () => {
  const { database, pool, store } = test;
  const everyMs = 86_400_000;
  await addSource(database.databaseUrl, "photos", "/", { everyMs });
  store.put("a", 1);
  store.beforePage = () =>
    addSource(database.databaseUrl, "photos", "/", { everyMs, location: { tags: true } });
  await runFake(pool, "photos", store);
  const changed = await findSource(pool, "photos");
  assert.equal(changed.outcome, "complete");
  assert.ok((changed.nextRunAt?.getTime() ?? Infinity) <= Date.now());

  store.beforePage = () => undefined;
  await runFake(pool, "photos", store);
  const { nextRunAt } = await findSource(pool, "photos");
  assert.ok((nextRunAt?.getTime() ?? 0) > Date.now() + everyMs / 2);

  store.beforePage = async () => {
    await addSource(database.databaseUrl, "photos", "/", { everyMs });
    throw new Error("access denied");
  };
  await assert.rejects(runFake(pool, "photos", store), /access denied/);
  const failed = await findSource(pool, "photos");
  assert.equal(failed.outcome, "failed");
  assert.ok((failed.nextRunAt?.getTime() ?? Number.POSITIVE_INFINITY) <= Date.now());
});
