/** Runs that cannot be written, because of missing rights or because the index cannot hold them. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { select } from "../../import/testing/import.ts";
import { findSource } from "../source.ts";
import { addSource, type RunsTest, runFake, startRunsTest } from "../testing/source-runs.ts";

const everyMs = 60_000;

let test: RunsTest;
beforeEach(async () => {
  test = await startRunsTest();
  await addSource(test.database.databaseUrl, "photos", "/", { everyMs });
  for (let number = 0; number < 20; number++) test.store.put(`a/${number}`, 1);
});
afterEach(() => test.close());

const write = (text: string) => select<Record<string, string>>(test.database.databaseUrl, text);

async function assertRecorded(message: RegExp): Promise<void> {
  const { outcome, failures, nextRunAt, ...source } = await findSource(test.pool, "photos");
  assert.deepEqual([outcome, failures], ["failed", 1]);
  assert.match(source.message, message);
  const inMs = (nextRunAt?.getTime() ?? 0) - Date.now();
  assert.ok(inMs > everyMs / 2 && inMs <= everyMs, `the next run is in ${inMs} ms`);
}

describe("a run that cannot be opened", () => {
  const refuseRows = "revoke insert, update, delete on uploads.source_runs from current_user";

  it("is recorded in the source if its row cannot be written", async () => {
    await write(refuseRows);
    const run = runFake(test.pool, "photos", test.store);
    await assert.rejects(run, /permission denied for table source_runs/);
    await assertRecorded(/permission denied for table source_runs/);
  });

  it("is not recorded if it is a dry run", async () => {
    await write(refuseRows);
    const run = runFake(test.pool, "photos", test.store, { isDryRun: true });
    await assert.rejects(run, /permission denied/);
    assert.equal((await findSource(test.pool, "photos")).outcome, undefined);
  });
});

describe("a run of too many bytes for the total of a bucket", () => {
  it("fails with the key of the largest, and the next run begins anew", async () => {
    const { pool, store } = test;
    for (const key of ["large", "larger"]) store.put(key, 2 ** 52 + key.length);
    await assert.rejects(runFake(pool, "photos", store), /over 2\^53-1 bytes .* with larger;/);
    await assertRecorded(/^Cannot write to photos\.example\.com: .* with larger;/);
    store.delete("larger");
    const { outcome, counts } = await runFake(pool, "photos", store);
    assert.deepEqual([outcome, counts.objects], ["complete", 21]);
  });
});
