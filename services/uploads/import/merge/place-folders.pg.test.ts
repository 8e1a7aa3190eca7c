import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { randomCases, type TestDatabase } from "@stowage/process/testing";
import fc from "fast-check";
import {
  bucketLine,
  createUploadsDatabase,
  importLines,
  isOfBucket,
  select,
} from "../testing/import.ts";

let database: TestDatabase;
before(async () => {
  database = await createUploadsDatabase();
});
after(() => database.drop());

/** Folders and uploads that are not where the tree has them. */
function misplaced() {
  return select(
    database.databaseUrl,
    `select tree_key from (
       select tree_key, tree_position,
         lag(tree_position) over (partition by bucket_number order by tree_key) as before
       from uploads.folders) f
     where before >= tree_position
     union all
     select u.path from uploads.uploads u
     left join uploads.folders f using (bucket_number, tree_position)
     where f.tree_key is distinct from uploads.tree_key(u.path)`,
  );
}

const uploadIn = (path: string) => ({ upload: { path, filename: "x", sizeBytes: 1 } });

describe("the positions of folders", () => {
  it("have the order of the tree after any imports", async () => {
    const segment = fc.constantFrom("a", "b", "b c", "d", "é");
    const path = fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join("/")}`);
    const imports = fc.array(fc.array(path, { minLength: 1, maxLength: 6 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(imports, async (files) => {
        const bucketId = randomUUID();
        for (const paths of files) {
          await importLines(database.databaseUrl, [bucketLine(bucketId), ...paths.map(uploadIn)]);
        }
        assert.deepEqual(await misplaced(), []);
      }),
      { numRuns: randomCases(20) },
    );
  });

  it("are given anew where there is no number left between two folders", async () => {
    const bucketId = randomUUID();
    const load = (paths: readonly string[]) =>
      importLines(database.databaseUrl, [bucketLine(bucketId), ...paths.map(uploadIn)]);
    await load(["/a", "/z", "/z/b"]);
    await select(
      database.databaseUrl,
      `with crowded as (
         update uploads.folders f set tree_position = n.number from (
           select folder_id, tree_position, row_number() over (order by tree_key) as number
           from uploads.folders where ${isOfBucket}) n
         where f.folder_id = n.folder_id
         returning f.bucket_number, n.tree_position as before, n.number)
       update uploads.uploads u set tree_position = c.number from crowded c
       where u.bucket_number = c.bucket_number and u.tree_position = c.before`,
      [bucketId],
    );
    await load(["/a/1", "/a/2", "/m", "/z/b/1"]);
    assert.deepEqual(await misplaced(), []);
  });
});
