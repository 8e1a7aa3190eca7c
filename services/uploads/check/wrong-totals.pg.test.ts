import assert from "node:assert/strict";
import { it } from "node:test";
import { runOn } from "../import/merge/statements.ts";
import {
  bucketLine,
  createUploadsDatabase,
  importLines,
  withConnection,
} from "../import/testing/import.ts";
import { findWrong, wrongText } from "./find-wrong.ts";

it("some errors are listed, and all wrong buckets counted", async () => {
  const database = await createUploadsDatabase();
  try {
    const bucketIds = ["1", "2"].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`);
    const paths = Array.from({ length: 30 }, (_, index) => `/${index}`);
    const lines = bucketIds.flatMap((bucketId) => [
      bucketLine(bucketId),
      ...paths.map((path) => ({ upload: { path, filename: "x", sizeBytes: 1 } })),
    ]);
    await importLines(database.databaseUrl, lines);
    const printed: string[] = [];
    const wrong = await withConnection(database.databaseUrl, async (client) => {
      await client.query("update uploads.folders set size_bytes = size_bytes + 1");
      return await findWrong(runOn(client), (line) => printed.push(line));
    });
    assert.equal(wrongText(wrong), "the totals of 2 buckets");
    const [first] = bucketIds;
    const bucket = `bucket ${first}.example.com (${first})`;
    assert.equal(printed[0], `${bucket}, totals of "/": got 1 bytes, need 0`);
    assert.equal(printed.length, 20 + 1);
  } finally {
    await database.drop();
  }
});
