import assert from "node:assert/strict";
import { it } from "node:test";
import { runOn } from "../import/merge/statements.ts";
import {
  bucketLine,
  createUploadsDatabase,
  importLines,
  withConnection,
} from "../import/testing/import.ts";
import { wrongTotals } from "./wrong-totals.ts";

it("some of the wrong totals of each bucket are found, however many there are", async () => {
  const database = await createUploadsDatabase();
  try {
    const bucketIds = ["1", "2"].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`);
    const lines = bucketIds.flatMap((bucketId) => [
      bucketLine(bucketId),
      ...["/a", "/b", "/c"].map((path) => ({ upload: { path, filename: "x", sizeBytes: 1 } })),
    ]);
    await importLines(database.databaseUrl, lines);
    const found = await withConnection(database.databaseUrl, async (client) => {
      await client.query("update uploads.folder_totals set size_bytes = size_bytes + 1");
      return await Array.fromAsync(wrongTotals(runOn(client), 2));
    });
    assert.deepEqual(
      found.map(({ bucketId, path }) => [bucketId, path]),
      bucketIds.flatMap((bucketId) => [
        [bucketId, "/"],
        [bucketId, "/a"],
      ]),
    );
  } finally {
    await database.drop();
  }
});
