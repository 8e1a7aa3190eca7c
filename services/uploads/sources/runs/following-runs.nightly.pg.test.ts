/** What runs do for the index besides bringing in what is new, changed and gone. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { bucketLine, importLines, select } from "../../import/testing/import.ts";
import type { FakeStore } from "../testing/fake-store.ts";
import {
  addSource,
  bucketId,
  contentsOf,
  hostname,
  type RunsTest,
  readIndex,
  runFake,
  startRunsTest,
} from "../testing/source-runs.ts";

let test: RunsTest;
let database: TestDatabase;
let pool: pg.Pool;
let store: FakeStore;
beforeEach(async () => {
  test = await startRunsTest();
  ({ database, pool, store } = test);
  await addSource(database.databaseUrl, "photos");
});
afterEach(() => test.close());

function putMany(count: number): void {
  for (let number = 0; number < count; number++) store.put(`many/${number}.jpg`, number);
}

async function assertEqual(): Promise<void> {
  assert.deepEqual(await readIndex(database.databaseUrl), contentsOf(store));
}

describe("a run after another one", () => {
  it("brings the tags of an object that has not changed otherwise", async () => {
    await addSource(database.databaseUrl, "photos", "/", { location: { tags: true } });
    store.put("a.jpg", 1);
    let tags: string[] = [];
    const { lister } = store;
    store.lister = (options) => {
      const inner = lister.call(store, options);
      return {
        ...inner,
        async *list(range, signal) {
          for await (const page of inner.list(range, signal)) {
            yield { ...page, objects: page.objects.map((object) => ({ ...object, tags })) };
          }
        },
      };
    };
    for (tags of [["sea"], ["sea", "sun"], []]) {
      await runFake(pool, "photos", store);
      const rows = await select(database.databaseUrl, "select tags from uploads.uploads");
      assert.deepEqual(rows, [{ tags: tags.length === 0 ? null : tags }]);
    }
  });

  it("takes over folders without uploads, which disappear with those of the store", async () => {
    const lines = [bucketLine(bucketId, { hostname }), { folder: { path: "/empty" } }];
    await importLines(database.databaseUrl, lines);
    store.put("empty/", 0);
    store.put("file", 1);
    await runFake(pool, "photos", store);
    await assertEqual();
    store.delete("empty/");
    await runFake(pool, "photos", store);
    await assertEqual();
  });

  it("keeps a folder that one of its transactions empties and a later one fills", async () => {
    const folderId = "00000000-0000-4000-8000-00000000000f";
    const folder = { folder: { path: "/album", folderId } };
    await importLines(database.databaseUrl, [bucketLine(bucketId, { hostname }), folder]);
    store.put("album/a", 1);
    await runFake(pool, "photos", store);
    store.delete("album/a");
    store.put("album/b", 1);
    await runFake(pool, "photos", store, { batchSize: 1, isConfirmed: true });
    const folders = await select(
      database.databaseUrl,
      "select folder_id from uploads.folders where tree_key = uploads.tree_key('/album')",
    );
    assert.deepEqual(folders, [{ folder_id: folderId }]);
  });

  it("makes the skip index of its bucket if the run before could not", async () => {
    putMany(10);
    await runFake(pool, "photos", store);
    const read = () =>
      select(database.databaseUrl, "select uploads from uploads.skip_index_buckets");
    // As many as a run would leave that was killed right after its last transaction.
    await select(database.databaseUrl, "update uploads.bucket_sizes set uploads = 50000");
    assert.deepEqual(await read(), []);
    const { counts } = await runFake(pool, "photos", store);
    assert.equal(counts.unchanged, 10);
    assert.deepEqual(await read(), [{ uploads: "50000" }]);
  });

  it("says why the skip index of its bucket could not be made", async () => {
    putMany(10);
    await runFake(pool, "photos", store);
    await select(database.databaseUrl, "update uploads.bucket_sizes set uploads = 50000");
    await select(database.databaseUrl, "drop table uploads.skip_index_bitmaps");
    const { outcome, skipIndexError } = await runFake(pool, "photos", store);
    assert.equal(outcome, "complete");
    assert.match(skipIndexError ?? "", /skip_index_bitmaps/);
  });
});
