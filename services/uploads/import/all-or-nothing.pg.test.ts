import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import {
  bucketLine,
  createUploadsDatabase,
  importLines,
  isOfBucket,
  readTables,
  select,
  withConnection,
} from "./testing/import.ts";

const bucketId = "aaaaaaaa-0000-4000-8000-000000000000";
const upload = (uploadId: string, members: object = {}) => ({
  upload: { uploadId, path: "/a", filename: uploadId, sizeBytes: 1, ...members },
});
const lines = (count: number) => Array.from({ length: count }, (_, index) => upload(`${index}`));

let database: TestDatabase;
let known: unknown[];
before(async () => {
  database = await createUploadsDatabase();
  await importLines(database.databaseUrl, [bucketLine(bucketId), upload("known")]);
});
beforeEach(async () => {
  known = await readTables(database.databaseUrl);
});
after(() => database.drop());

describe("an import with a wrong line", () => {
  for (const [where, file] of [
    ["first", ["{", bucketLine(bucketId), ...lines(10)]],
    [
      "in the middle",
      [bucketLine(bucketId), ...lines(5000), upload("x", { sizeBytes: -1 }), ...lines(5000)],
    ],
    ["last", [bucketLine(bucketId), ...lines(10), "{"]],
  ] as const) {
    it(`keeps nothing when the wrong line is ${where}`, async () => {
      const { result, errors } = await importLines(database.databaseUrl, file);
      assert.equal(result, undefined);
      assert.match(errors, /^line \d+: /);
      assert.deepEqual(await readTables(database.databaseUrl), known);
    });
  }

  it("imports all other lines if wrong ones are skipped", async () => {
    const skipped = "bbbbbbbb-0000-4000-8000-000000000000";
    const { result, errors, totals } = await importLines(
      database.databaseUrl,
      [
        bucketLine(skipped),
        upload("1"),
        "{",
        upload("2", { sizeBytes: -1 }),
        upload("3"),
        '{"bucket": 1}',
        upload("4"),
      ],
      { skipsWrongLines: true },
    );
    assert.deepEqual(result?.uploads, { new: 2, changed: 0, unchanged: 0 });
    assert.deepEqual(
      errors.split("\n").map((line) => line.slice(0, 7)),
      ["line 3:", "line 4:", "line 6:", ""],
    );
    assert.deepEqual(totals, { lines: 7, orphans: 1 });
    const text = `select upload_id from uploads.uploads where ${isOfBucket} order by 1`;
    assert.deepEqual(await select(database.databaseUrl, text, [skipped]), [
      { upload_id: "1" },
      { upload_id: "3" },
    ]);
  });
});

describe("while an import writes", () => {
  it("readers see the index as it was, and do not wait", async () => {
    await withConnection(database.databaseUrl, async (holder) => {
      // Holds the import up just before its end: it cannot see to it that its folders are there.
      await holder.query("begin");
      await holder.query("lock table uploads.folders in share mode");
      const importing = importLines(database.databaseUrl, [bucketLine(bucketId), upload("new")]);
      await untilWaiting(database.databaseUrl);
      assert.deepEqual(await readTables(database.databaseUrl), known);
      await holder.query("rollback");
      await importing;
    });
    assert.notDeepEqual(await readTables(database.databaseUrl), known);
  });
});

async function untilWaiting(databaseUrl: string): Promise<void> {
  const text = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await select(databaseUrl, text)).length === 0);
}
