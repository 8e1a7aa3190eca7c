import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import { createUploadsDatabase, importLines, select } from "../import/testing/import.ts";
import { addSource, bucketId } from "./testing/source-runs.ts";

let database: TestDatabase;
before(async () => {
  database = await createUploadsDatabase();
});
after(() => database.drop());

/** Whose the mount folder is. */
async function owner(): Promise<unknown> {
  const [row] = await select(
    database.databaseUrl,
    `select s.name from uploads.folders f join uploads.buckets using (bucket_number)
     left join uploads.sources s using (bucket_id, source_id)
     where f.tree_key = uploads.tree_key('/mirror') and f.source_id is not null`,
  );
  return row;
}

it("a source that is added again gets its mount folder back from an import", async () => {
  await addSource(database.databaseUrl, "photos", "/mirror");
  assert.deepEqual(await owner(), { name: "photos" });
  const folder = { path: "/mirror", colour: "red" };
  const { errors } = await importLines(database.databaseUrl, [{ folder }], { bucketId });
  assert.equal(errors, "");
  assert.equal(await owner(), undefined);
  await addSource(database.databaseUrl, "photos", "/mirror", { everyMs: 60_000 });
  assert.deepEqual(await owner(), { name: "photos" });
});
