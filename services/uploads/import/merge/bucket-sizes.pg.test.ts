import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import { randomCases } from "@stowage/process/testing";
import fc from "fast-check";
import { bucketLine, createUploadsDatabase, importLines, select } from "../testing/import.ts";

const bucketIds = [1, 2].map((number) => `00000000-0000-4000-8000-00000000000${number}`);

let database: TestDatabase;
before(async () => {
  database = await createUploadsDatabase();
});
after(() => database.drop());

// Few of everything, so that things are replaced and moved, take each other's places and collide.
const id = fc
  .integer({ min: 0, max: 9 })
  .map((digit) => `00000000-0000-4000-8000-0000000000a${digit}`);
const path = fc
  .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 })
  .map((names) => `/${names.join("/")}`);
const folderLine = fc
  .record({ path, folderId: id }, { requiredKeys: ["path"] })
  .map((folder) => ({ folder }));
const uploadLine = fc
  .record({
    path,
    filename: fc.constantFrom("x", "y"),
    uploadId: fc.option(id, { nil: undefined }),
    sizeBytes: fc.nat(100),
  })
  .map((upload) => ({ upload }));
const lines = fc.array(
  fc.oneof(folderLine, uploadLine, fc.constantFrom(...bucketIds).map(bucketLine)),
  { maxLength: 20 },
);

async function sizes(from: "kept" | "counted") {
  const kept = "select bucket_id, folders, uploads from uploads.bucket_sizes";
  const counted = `select bucket_id,
    (select count(*) from uploads.folders f where f.bucket_number = b.bucket_number) as folders,
    (select count(*) from uploads.uploads u where u.bucket_number = b.bucket_number) as uploads
    from uploads.buckets b`;
  const statement = from === "kept" ? kept : counted;
  return select(database.databaseUrl, `${statement} order by bucket_id`);
}

describe("the stored sizes of buckets", () => {
  it("are equal to counts after imports that add, move and replace", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...bucketIds), lines, async (bucketId, others) => {
        const { result } = await importLines(database.databaseUrl, [
          bucketLine(bucketId),
          ...others,
        ]);
        assert.ok(result);
        assert.deepEqual(await sizes("kept"), await sizes("counted"));
      }),
      { numRuns: randomCases(60) },
    );
  });
});
