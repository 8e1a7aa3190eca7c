/** An import into tables that PostgreSQL's planner knows as nearly empty reads them a few times. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import { bucketLine, createUploadsDatabase, importLines, select } from "../testing/import.ts";

const bucketId = "00000000-0000-4000-8000-000000000001";
const things = 3000;
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

/** Also those whose rows were all invisible. */
async function pagesRead(): Promise<number> {
  const [read] = await select<{ count: number }>(
    database.databaseUrl,
    `select sum(heap_blks_read + heap_blks_hit)::float8 as count from pg_statio_user_tables
     where relname in ('folders', 'uploads')`,
  );
  return read?.count ?? 0;
}
