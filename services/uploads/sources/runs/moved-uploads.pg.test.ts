/** Uploads of a source that an import moves to another folder. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { readUploads } from "../../answers/testing/read-uploads.ts";
import { folderPath, importLines, select } from "../../import/testing/import.ts";
import { deterministicUploadId } from "../../model/deterministic-ids.ts";
import type { FakeStore } from "../testing/fake-store.ts";
import {
  addSource,
  bucketId,
  type RunsTest,
  runFake,
  startRunsTest,
} from "../testing/source-runs.ts";

const uploadId = deterministicUploadId(bucketId, "/mirror", "0");

let test: RunsTest;
let database: TestDatabase;
let pool: pg.Pool;
let store: FakeStore;
beforeEach(async () => {
  test = await startRunsTest();
  ({ database, pool, store } = test);
  await addSource(database.databaseUrl, "photos", "/mirror");
  for (let number = 0; number < 5; number++) store.put(`${number}`, 1);
  await runFake(pool, "photos", store);
});
afterEach(() => test.close());

async function moveTo(path: string): Promise<void> {
  const upload = { uploadId, path, filename: "0", sizeBytes: 1 };
  const { errors } = await importLines(database.databaseUrl, [{ upload }], { bucketId });
  assert.equal(errors, "");
}

async function place(): Promise<unknown[]> {
  const rows = await select(
    database.databaseUrl,
    "select path, source_id is not null as mirrored from uploads.uploads where upload_id = $1",
    [uploadId],
  );
  return rows.flatMap((row) => Object.values(row));
}

it("out of the folder of the source: it belongs to no source, and stays", async () => {
  await moveTo("/elsewhere");
  assert.deepEqual(await place(), ["/elsewhere", false]);
  store.delete("0");
  const { counts } = await runFake(pool, "photos", store);
  assert.equal(counts.gone, 0);
  assert.deepEqual(await place(), ["/elsewhere", false]);
});

it("out of the folder of the source: the next run takes it back if the object exists", async () => {
  await moveTo("/elsewhere");
  await runFake(pool, "photos", store);
  assert.deepEqual(await place(), ["/mirror", true]);
});

it("within the folder of the source: the next run takes it back, and the folder goes", async () => {
  await moveTo("/mirror/other/deep");
  await runFake(pool, "photos", store);
  assert.deepEqual(await place(), ["/mirror", true]);
  const folders = await select(database.databaseUrl, `select ${folderPath} from uploads.folders`);
  assert.deepEqual(folders.map(({ path }) => path).toSorted(), ["/", "/mirror"]);
});

it("within the folder of the source, or not at all: it stays if it cannot be read", async () => {
  store.put("secret/a", 1);
  await runFake(pool, "photos", store);
  const secretId = deterministicUploadId(bucketId, "/mirror/secret", "a");
  const place = { path: "/mirror/public", filename: "a", externalPath: "secret/a" };
  const upload = { uploadId: secretId, sizeBytes: 1, ...place };
  await importLines(database.databaseUrl, [{ upload }], { bucketId });
  // This clears its `externalPath`.
  await moveTo("/mirror");
  for (const key of ["secret/", "0"]) store.unreadable.add(key);
  assert.equal((await runFake(pool, "photos", store)).counts.gone, 0);
});

it("within the folder of the source: it disappears with its object", async () => {
  await moveTo("/mirror/other");
  assert.deepEqual(await place(), ["/mirror/other", true]);
  store.delete("0");
  await runFake(pool, "photos", store);
  assert.deepEqual(await place(), []);
});

it("within its folder, or not at all: its content stays that of the source", async () => {
  const { databaseUrl } = database;
  const read = async () => {
    const uploads = await readUploads({ databaseUrl, bucketId, baseUrl: "http://a.example.com" });
    const { path, contentUrl } = uploads.find((each) => each.uploadId === uploadId) ?? {};
    return { path, contentUrl };
  };
  const before = await read();
  assert.equal(before.contentUrl, `http://a.example.com/content/${bucketId}/${uploadId}`);
  await moveTo("/mirror");
  assert.deepEqual(await read(), before);
  await moveTo("/mirror/other");
  assert.deepEqual(await read(), { ...before, path: "/mirror/other" });
  await moveTo("/elsewhere");
  assert.deepEqual(await read(), { path: "/elsewhere", contentUrl: "" });
});
