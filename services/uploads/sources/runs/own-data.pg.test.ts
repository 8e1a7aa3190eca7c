/** What uploads have of their own, through deletions, returns and moves. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { importLines, select } from "../../import/testing/import.ts";
import type { FakeStore } from "../testing/fake-store.ts";
import {
  addSource,
  bucketId,
  type RunsTest,
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
  for (const key of ["a/tagged", "a/plain", "b/other"]) store.put(key, key.length);
  await runFake(pool, "photos", store);
  await own("/a", "tagged", { tags: ["final"], aliases: [{ path: "/x", slug: "alias" }] });
});
afterEach(() => test.close());

/** Gives an upload of the source these members, as an import does. */
async function own(path: string, filename: string, members: object): Promise<void> {
  const upload = {
    path,
    filename,
    sizeBytes: 8,
    createdAt: "2001-02-03T04:05:06Z",
    slug: "named",
    ...members,
  };
  const { errors } = await importLines(database.databaseUrl, [{ upload }], { bucketId });
  assert.equal(errors, "");
  await runFake(pool, "photos", store);
}

interface Own {
  readonly file: string;
  readonly tags: readonly string[] | null;
  readonly slug: string | null;
  readonly createdAt: string;
  readonly hasAliases: boolean;
  readonly isFoundByThem: boolean;
}

const ownOf = (file: string) => ({
  ...{ file, tags: ["final"], slug: "named" },
  ...{ createdAt: "2001-02-03", hasAliases: true, isFoundByThem: true },
});

/** The uploads that have something of their own. */
async function owned(): Promise<Own[]> {
  return await select<Own>(
    database.databaseUrl,
    `select concat_ws('/', nullif(path, '/'), filename) as file, tags, slug,
       to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as "createdAt",
       details like '%alias%' as "hasAliases",
       search_words ~ '^ named [^ ]+ $' as "isFoundByThem"
     from uploads.uploads where tags is not null or slug is not null order by 1`,
  );
}

async function keptFiles(): Promise<string[]> {
  const rows = await select<{ filename: string }>(
    database.databaseUrl,
    "select filename from uploads.deleted_uploads order by filename",
  );
  return rows.map(({ filename }) => filename);
}

describe("an upload that a run deletes", () => {
  it("has its own data again when it returns, with the same ID", async () => {
    assert.deepEqual(await owned(), [ownOf("/a/tagged")]);
    store.delete("a/tagged");
    await runFake(pool, "photos", store);
    assert.deepEqual([await owned(), await keptFiles()], [[], ["tagged"]]);
    store.put("a/tagged", 99);
    await runFake(pool, "photos", store);
    assert.deepEqual([await owned(), await keptFiles()], [[ownOf("/a/tagged")], []]);
  });

  it("leaves nothing behind if its place gives back everything", async () => {
    store.delete("a/plain");
    await runFake(pool, "photos", store);
    assert.deepEqual(await keptFiles(), []);
  });

  it("is forgotten when the time is over", async () => {
    store.delete("a/tagged");
    await runFake(pool, "photos", store);
    await select(
      database.databaseUrl,
      "update uploads.deleted_uploads set deleted_at = now() - interval '2 days'",
    );
    await runFake(pool, "photos", store, { deletedDataDays: 2 });
    assert.deepEqual(await keptFiles(), []);
  });

  it("stays hidden when it returns", async () => {
    await select(
      database.databaseUrl,
      "update uploads.uploads set integration_hidden = true where filename = 'tagged'",
    );
    store.delete("a/tagged");
    await runFake(pool, "photos", store);
    store.put("a/tagged", 1);
    await runFake(pool, "photos", store);
    const hidden = await select(
      database.databaseUrl,
      "select filename from uploads.uploads where integration_hidden",
    );
    assert.deepEqual(hidden, [{ filename: "tagged" }]);
  });

  it("keeps nothing of it in a dry run, and takes nothing", async () => {
    store.delete("a/tagged");
    await runFake(pool, "photos", store);
    store.put("a/tagged", 1);
    await runFake(pool, "photos", store, { isDryRun: true });
    assert.deepEqual(await keptFiles(), ["tagged"]);
  });
});

describe("an upload that is moved", () => {
  it("takes its own data along", async () => {
    store.move("a/tagged", "c/renamed");
    await runFake(pool, "photos", store);
    assert.deepEqual(await owned(), [ownOf("/c/renamed")]);
  });

  it("is not one that only has the same size, in a store without ETags", async () => {
    store.put("a/tagged", 8, "");
    await runFake(pool, "photos", store);
    store.delete("a/tagged");
    store.put("c/unrelated", 8, "");
    await runFake(pool, "photos", store);
    assert.deepEqual(await owned(), []);
  });

  it("is told from others with the same content by its name, or not at all", async () => {
    for (const key of ["a/tagged", "b/twin"]) store.put(key, 8, '"same"');
    await runFake(pool, "photos", store);
    store.move("a/tagged", "c/tagged");
    store.move("b/twin", "c/twin");
    await runFake(pool, "photos", store);
    assert.deepEqual(await owned(), [ownOf("/c/tagged")]);
    store.move("c/tagged", "d/1");
    store.move("c/twin", "d/2");
    await runFake(pool, "photos", store);
    assert.deepEqual([await owned(), await keptFiles()], [[], ["tagged", "tagged"]]);
  });

  it("needs no confirmation, though the credentials may not ask for it", async () => {
    store.presenceOf = (key) => (store.objects.has(String(key)) ? "present" : "unlisted");
    for (const key of [...store.objects.keys()]) store.move(key, `moved/${key}`);
    assert.equal((await runFake(pool, "photos", store)).outcome, "complete");
    assert.deepEqual(await owned(), [ownOf("/moved/a/tagged")]);
  });
});
