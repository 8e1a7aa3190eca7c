/**
 * What runs and removals decide by rows of the index holds when they write: other imports may be at
 * work.
 */
import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import { fileURLToPath } from "node:url";
import { startNode } from "@stowage/process/testing";
import { select, withConnection } from "../../import/testing/import.ts";
import { deterministicUploadId } from "../../model/deterministic-ids.ts";
import {
  addSource,
  bucketId,
  type RunsTest,
  runFake,
  startRunsTest,
} from "../testing/source-runs.ts";

const uploadId = deterministicUploadId(bucketId, "/mirror", "0");
const isUpload = `upload_id = '${uploadId}'`;

let test: RunsTest;
beforeEach(async () => {
  test = await startRunsTest();
  await addSource(test.database.databaseUrl, "photos", "/mirror");
  for (let number = 0; number < 5; number++) test.store.put(`${number}`, 1);
  await runFake(test.pool, "photos", test.store);
});
afterEach(() => test.close());

const lockBucket = `select from uploads.buckets where bucket_id = '${bucketId}' for update`;

const isWaiting = `select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

/** Does this while another import has written that, and commits when it waits for the import. */
async function beside(written: string, start: () => Promise<unknown>): Promise<void> {
  const { databaseUrl } = test.database;
  await withConnection(databaseUrl, async (client) => {
    await client.query(`begin; ${lockBucket}; ${written}`);
    const running = start();
    while ((await select(databaseUrl, isWaiting)).length === 0);
    await client.query("commit");
    await running;
  });
}

const run = () => runFake(test.pool, "photos", test.store);

async function remove() {
  const { databaseUrl } = test.database;
  const program = fileURLToPath(new URL("../../commands/sources.ts", import.meta.url));
  const removing = startNode([program, "remove", "photos"], { env: { DATABASE_URL: databaseUrl } });
  const { exitCode, stderr } = await removing.ended;
  assert.equal(exitCode, 0, stderr);
}

const moveOut = `update uploads.uploads set path = '/', source_id = null where ${isUpload}`;

it("tags that an import sets while a run waits for it stay", async () => {
  test.store.put("0", 2);
  await beside(`update uploads.uploads set tags = '{final}' where ${isUpload}`, run);
  const sql = `select size_bytes::int as size, tags from uploads.uploads where ${isUpload}`;
  assert.deepEqual(await select(test.database.databaseUrl, sql), [{ size: 2, tags: ["final"] }]);
});

it("an upload that an import moves out of the source while a run waits for it stays", async () => {
  test.store.delete("0");
  await beside(moveOut, run);
  const sql = `select path from uploads.uploads where ${isUpload}`;
  assert.deepEqual(await select(test.database.databaseUrl, sql), [{ path: "/" }]);
});

it("an upload that an import moves out of a source while this is being removed stays", async () => {
  await beside(moveOut, remove);
  const sql = "select path from uploads.uploads";
  assert.deepEqual(await select(test.database.databaseUrl, sql), [{ path: "/" }]);
});
