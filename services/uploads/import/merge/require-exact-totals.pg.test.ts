import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import { bucketLine, createUploadsDatabase, importLines, readTables } from "../testing/import.ts";

const bucketId = "aaaaaaaa-0000-4000-8000-000000000000";
const half = 2 ** 52;
const upload = (filename: string, sizeBytes: number) => ({
  upload: { path: "/a", filename, sizeBytes },
});

describe("the sizes of a bucket's uploads", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createUploadsDatabase();
  });
  after(() => database.drop());
  const write = async (...lines: object[]) => {
    const { errors } = await importLines(database.databaseUrl, [bucketLine(bucketId), ...lines]);
    assert.equal(errors, "");
  };

  it("may add up to 2^53-1, and an import of more is refused with the largest line", async () => {
    await write(upload("known", half), upload("small", 1));
    await write(upload("small", half - 1));
    const known = await readTables(database.databaseUrl);
    const importing = write(upload("known", half), upload("one", 1), upload("two", 2));
    await assert.rejects(importing, {
      name: "TotalTooLargeError",
      message:
        `Cannot write to ${bucketId}.example.com: its uploads would have over 2^53-1 bytes ` +
        "together, the largest of the new ones with line 4; correct the sizes, or divide the " +
        "uploads among buckets",
    });
    await assert.rejects(write(upload("small", half)), /with line 2;/);
    assert.deepEqual(await readTables(database.databaseUrl), known);
    await write(upload("small", 1), upload("one", half - 2));
  });
});
