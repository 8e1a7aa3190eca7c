import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { bucketLine, importLines, select } from "../../import/testing/import.ts";
import { findSource } from "../source.ts";
import { FakeStore } from "../testing/fake-store.ts";
import {
  addSource,
  bucketId,
  contentsOf,
  hostname,
  type RunsTest,
  readIndex,
  runFake,
  startRunsTest,
  writtenRows,
} from "../testing/source-runs.ts";

let test: RunsTest;
let database: TestDatabase;
let pool: pg.Pool;
let store: FakeStore;
beforeEach(async () => {
  test = await startRunsTest();
  ({ database, pool, store } = test);
});
afterEach(() => test.close());

function putMany(count: number, folder = "many"): void {
  for (let number = 0; number < count; number++) {
    store.put(`${folder}/${number % 7}/${number}.jpg`, number);
  }
}

async function assertEqual(mountPath = "/"): Promise<void> {
  assert.deepEqual(await readIndex(database.databaseUrl, mountPath), contentsOf(store, mountPath));
}

describe("a run", () => {
  beforeEach(() => addSource(database.databaseUrl, "photos"));

  it("brings what is new, changed and gone into the index, and counts it", async () => {
    putMany(50);
    store.put("empty folder/", 0);
    const first = await runFake(pool, "photos", store);
    assert.equal(first.counts.new, 50);
    await assertEqual();
    store.put("many/1/1.jpg", 999);
    store.delete("many/2/2.jpg");
    store.delete("empty folder/");
    store.put("new", 1);
    const { outcome, counts } = await runFake(pool, "photos", store);
    assert.equal(outcome, "complete");
    const { objects, leftOut, changed, gone, unchanged } = counts;
    assert.deepEqual(
      { objects, leftOut, new: counts.new, changed, gone, unchanged },
      { objects: 50, leftOut: 0, new: 1, changed: 1, gone: 1, unchanged: 48 },
    );
    await assertEqual();
  });

  it("keeps keys that divide the next listing into ranges of several pages", async () => {
    for (const [count, keys] of [
      [100, 0],
      [6000, 2],
    ] as const) {
      putMany(count);
      await runFake(pool, "photos", store, { pageSize: 1000 });
      const [source] = await select<{ known_keys: string[] }>(
        database.databaseUrl,
        "select known_keys from uploads.sources",
      );
      assert.equal(source?.known_keys.length, keys);
    }
  });

  it("makes the folders above an empty folder that the store lists", async () => {
    store.put("new", 1);
    store.put("a/b b/../c/", 0);
    store.put("a/b/", 0);
    await runFake(pool, "photos", store);
    await assertEqual();
  });

  it("writes exactly the rows that differ, by PostgreSQL's own counters", async () => {
    putMany(600);
    await runFake(pool, "photos", store, { pageSize: 100 });
    const before = await writtenRows(database.databaseUrl, pool.totalCount);
    for (let number = 0; number < 100; number++) {
      store.put(`many/${number % 7}/${number}.jpg`, 5000 + number);
      store.delete(`many/${(300 + number) % 7}/${300 + number}.jpg`);
      store.put(`added/${number}`, 1);
    }
    await runFake(pool, "photos", store, { pageSize: 100 });
    const after = await writtenRows(database.databaseUrl, pool.totalCount);
    assert.deepEqual(
      after.map((count, index) => count - (before[index] ?? 0)),
      [100, 100, 100],
    );
    await assertEqual();
  });

  it("writes nothing if nothing has changed", async () => {
    putMany(60);
    await runFake(pool, "photos", store);
    const before = await writtenRows(database.databaseUrl, pool.totalCount);
    const { counts } = await runFake(pool, "photos", store);
    assert.equal(counts.unchanged, 60);
    assert.deepEqual(await writtenRows(database.databaseUrl, pool.totalCount), before);
  });

  it("keeps createdAt, tags and members of other programs when an object changes", async () => {
    store.put("a.jpg", 1);
    await runFake(pool, "photos", store);
    await select(
      database.databaseUrl,
      `update uploads.uploads set tags = '{sea}', details = ',"url":"http://a.example.com/sea"',
         intent_metadata = coalesce(intent_metadata, '{}') || '{"theirs": 1}'`,
    );
    const read = () =>
      select(
        database.databaseUrl,
        `select tags, details, created_at, intent_metadata - 's3' as others
         from uploads.uploads`,
      );
    const before = await read();
    store.put("a.jpg", 2);
    await runFake(pool, "photos", store);
    assert.deepEqual(await read(), before);
    await assertEqual();
  });

  it("takes over the rows that stand for its objects, and leaves other rows alone", async () => {
    await importLines(database.databaseUrl, [
      bucketLine(bucketId, { hostname, organisationId: "acme" }),
      { upload: { path: "/a", filename: "mine.jpg", sizeBytes: 7, tags: ["kept"] } },
      { upload: { path: "/a", filename: "other.jpg", sizeBytes: 8 } },
    ]);
    for (const key of ["a/mine.jpg", "b", "c"]) store.put(key, 7);
    const { counts } = await runFake(pool, "photos", store);
    assert.deepEqual([counts.new, counts.changed], [2, 1]);
    store.delete("a/mine.jpg");
    await runFake(pool, "photos", store);
    const rows = await select<{ filename: string }>(
      database.databaseUrl,
      "select filename from uploads.uploads order by filename",
    );
    assert.deepEqual(
      rows.map(({ filename }) => filename),
      ["b", "c", "other.jpg"],
    );
  });

  it("keeps what the index has of a directory that cannot be read", async () => {
    putMany(14);
    store.put("other/file", 1);
    await runFake(pool, "photos", store);
    const before = await readIndex(database.databaseUrl);
    store.unreadable.add("many/3/");
    const { counts, leftOutExamples } = await runFake(pool, "photos", store);
    assert.equal(counts.gone, 0);
    const [example] = leftOutExamples;
    assert.deepEqual([example?.key, example?.reason], ["many/3/", "permission denied"]);
    assert.deepEqual(await readIndex(database.databaseUrl), before);
  });

  it("keeps only what can be in what could not be read", async () => {
    const kept = ["a/1", "a/b/1", "a/c/1", "a/c/d/1", "file"];
    const gone = ["a-/1", "a.b/1", "b/1", "file2"];
    for (const key of [...kept, ...gone, "c/1", "c/2", "c/3"]) store.put(key, 1);
    await runFake(pool, "photos", store);
    for (const key of gone) store.delete(key);
    for (const key of ["a/", "a/b/", "file", "0/"]) store.unreadable.add(key);
    const { counts } = await runFake(pool, "photos", store);
    assert.equal(counts.gone, gone.length);
    const rows = await select<{ key: string }>(
      database.databaseUrl,
      "select external_path as key from uploads.uploads order by external_path",
    );
    assert.deepEqual(
      rows.map(({ key }) => key),
      ["a/1", "a/b/1", "a/c/1", "a/c/d/1", "c/1", "c/2", "c/3", "file"],
    );
  });

  it("leaves out an object whose time cannot be in the index, and keeps its upload", async () => {
    for (const key of ["a", "b/", "b/gone", "c"]) store.put(key, 1);
    await runFake(pool, "photos", store);
    store.delete("b/gone");
    const updatedAtMicros = BigInt(Date.parse("9999-12-31T23:59:59-10:00")) * 1000n;
    store.objects.set("b/", { sizeBytes: 2, updatedAtMicros });
    const { counts, leftOutExamples } = await runFake(pool, "photos", store);
    assert.deepEqual([counts.leftOut, counts.gone], [1, 1]);
    const reason = "its time is outside the years 1 to 9999";
    assert.deepEqual(leftOutExamples, [{ key: "b/", reason, isUnreadable: true }]);
  });

  it("keeps what changed after an older listing was made", async () => {
    store.put("a", 1);
    const older = store.objects.get("a");
    assert.ok(older);
    store.put("b", 1);
    store.put("a", 2);
    store.put("c", 1);
    await runFake(pool, "photos", store);
    const before = await readIndex(database.databaseUrl);
    store.objects.set("a", older);
    store.delete("b");
    const madeAt = new Date(Number(older.updatedAtMicros / 1000n) + 500);
    const { counts } = await runFake(pool, "photos", store, { madeAt });
    assert.deepEqual([counts.new, counts.changed, counts.gone, counts.unchanged], [0, 0, 0, 2]);
    assert.deepEqual(await readIndex(database.databaseUrl), before);
  });

  it("reports keys that the index cannot hold, and imports all others", async () => {
    const key = `${"long/".repeat(204)}name`;
    const tooLong = `${"a".repeat(1025)}`;
    store.put(key, 1);
    store.put(tooLong, 1);
    const { counts, leftOutExamples } = await runFake(pool, "photos", store);
    assert.deepEqual([counts.new, counts.leftOut], [1, 1]);
    assert.equal(leftOutExamples[0]?.key, tooLong);
  });

  it("deletes an upload whose object became a folder", async () => {
    store.put("a/", 1);
    await runFake(pool, "photos", store);
    store.put("a/", 0);
    assert.equal((await runFake(pool, "photos", store)).outcome, "complete");
    await assertEqual();
  });

  it("keeps no keys of a dry run, or of one that the guard stops", async () => {
    putMany(6000);
    await runFake(pool, "photos", store, { pageSize: 1000 });
    const { knownKeys } = await findSource(pool, "photos");
    assert.equal(knownKeys.length, 2);
    for (const key of store.objects.keys()) store.hidden.add(key);
    for (const isDryRun of [true, false]) await runFake(pool, "photos", store, { isDryRun });
    assert.deepEqual((await findSource(pool, "photos")).knownKeys, knownKeys);
  });

  it("only counts in a dry run", async () => {
    putMany(20);
    const { counts, isDryRun } = await runFake(pool, "photos", store, { isDryRun: true });
    assert.deepEqual([counts.new, isDryRun], [20, true]);
    assert.deepEqual(await readIndex(database.databaseUrl), { uploads: [], folders: ["/"] });
    await runFake(pool, "photos", store);
    await assertEqual();
  });
});

describe("two sources in one bucket", () => {
  it("never delete each other's rows", async () => {
    await addSource(database.databaseUrl, "photos", "/photos");
    await addSource(database.databaseUrl, "scans", "/photos 2");
    const scans = new FakeStore();
    putMany(30, "a");
    for (let number = 0; number < 30; number++) scans.put(`a/${number % 7}/${number}.jpg`, number);
    await runFake(pool, "photos", store);
    await runFake(pool, "scans", scans);
    for (let number = 0; number < 10; number++) store.delete(`a/${number % 7}/${number}.jpg`);
    for (let number = 10; number < 20; number++) scans.delete(`a/${number % 7}/${number}.jpg`);
    await runFake(pool, "photos", store);
    await runFake(pool, "scans", scans);
    await assertEqual("/photos");
    assert.deepEqual(
      await readIndex(database.databaseUrl, "/photos 2"),
      contentsOf(scans, "/photos 2"),
    );
  });

  for (const pair of ["/a /a", "/a /a/b", "/a/b /a", "/ /a", "/a /"]) {
    const [first, second] = pair.split(" ") as [string, string];
    it(`cannot be mounted at ${first} and ${second}`, async () => {
      await addSource(database.databaseUrl, "photos", first);
      await assert.rejects(
        addSource(database.databaseUrl, "scans", second),
        /the source photos mirrors .* of the same bucket/,
      );
    });
  }

  it("can be mounted beside each other", async () => {
    for (const [index, path] of ["/a", "/a b", "/ab", "/b/a"].entries()) {
      await addSource(database.databaseUrl, `s${index}`, path);
    }
  });

  it("cannot have the same name", async () => {
    await addSource(database.databaseUrl, "photos", "/a");
    await assert.rejects(addSource(database.databaseUrl, "photos", "/b"), /source with that name/);
  });
});
