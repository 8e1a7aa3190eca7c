/** An import into tables that PostgreSQL's planner knows as nearly empty reads them a few times. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import { bucketLine, createUploadsDatabase, importLines, select } from "../testing/import.ts";

const bucketId = "00000000-0000-4000-8000-000000000001";
const things = 3000;
/** So many that the import looks at its tables anew, and that checks would read many folders. */
const uploadsOfLarge = 11_000;
const foldersOfLarge = 5500;
const numbers = Array.from({ length: things }, (_, number) => number);

let database: TestDatabase;
before(async () => {
  database = await createUploadsDatabase();
});
after(() => database.drop());

const cases: readonly [what: string, lines: readonly object[]][] = [
  ["folders", numbers.map((number) => ({ folder: { path: `/a/${number}` } }))],
  [
    "uploads in folders of their own",
    numbers.map((number) => ({
      upload: { path: `/b/${number}/c`, filename: "d", sizeBytes: 1 },
    })),
  ],
];

describe("the first import after a vacuum of empty tables", () => {
  for (const [what, lines] of cases) {
    it(`does not read all folders for each of ${things} ${what}`, async () => {
      await select(database.databaseUrl, "truncate uploads.buckets cascade");
      await select(database.databaseUrl, "vacuum uploads.folders, uploads.uploads");
      const before = await pagesRead();
      await importLines(database.databaseUrl, [bucketLine(bucketId), ...lines]);
      const read = (await pagesRead()) - before;
      assert.ok(read < 20 * things, `${read} pages for ${things}`);
    });
  }
});

describe("an import of many uploads into a bucket that has only its root", () => {
  it("does not read all folders to check that each upload has one", async () => {
    // Statistics of earlier rows would count.
    const fresh = await createUploadsDatabase();
    const { databaseUrl } = fresh;
    await importLines(databaseUrl, [bucketLine(bucketId)]);
    const uploads = Array.from({ length: uploadsOfLarge }, (_, number) => ({
      upload: { path: `/a/${number % foldersOfLarge}`, filename: `${number}`, sizeBytes: 1 },
    }));
    await importLines(databaseUrl, [bucketLine(bucketId), ...uploads]);
    const scans = await scansByPath(databaseUrl);
    await fresh.drop();
    assert.ok(scans >= uploadsOfLarge, `${scans} of ${uploadsOfLarge} by the path of the folder`);
  });
});

/** Scans of the index that finds a folder by its path in one step. Others read the whole bucket. */
async function scansByPath(databaseUrl: string): Promise<number> {
  const [index] = await select<{ count: number }>(
    databaseUrl,
    `select idx_scan::float8 as count from pg_stat_user_indexes
     where indexrelname = 'folders_bucket_id_tree_key_key'`,
  );
  return index?.count ?? 0;
}

/** Also those whose rows were all invisible. */
async function pagesRead(): Promise<number> {
  const [read] = await select<{ count: number }>(
    database.databaseUrl,
    `select sum(heap_blks_read + heap_blks_hit)::float8 as count from pg_statio_user_tables
     where relname in ('folders', 'uploads')`,
  );
  return read?.count ?? 0;
}
