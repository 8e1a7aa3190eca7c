/** The least that one connection could do to write the rows of an import. */
import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";

/** The tables of the index that an import writes, each after those that it refers to. */
const tables = [
  "buckets",
  "access_versions",
  "bucket_sizes",
  "integrations",
  "folders",
  "uploads",
  "folder_totals",
  "skip_index_buckets",
  "skip_index_blocks",
  "skip_index_bitmaps",
];

/** Copies the rows of all these tables to files in the folder. */
export async function copyRowsTo(folder: string, client: pg.Client): Promise<void> {
  for (const table of tables) {
    const query = client.query(copyTo(`copy uploads.${table} to stdout`));
    await pipeline(query, createWriteStream(fileOf(table, folder)));
  }
}

/**
 * Copies the files back to empty tables with all indexes and constraints in place, in one
 * transaction, and then does what an import does after it: it empties the pending list of the index
 * of terms and vacuums. Returns the seconds that this took.
 */
export async function copyRowsFrom(folder: string, client: pg.Client): Promise<number> {
  const startMs = performance.now();
  await client.query("begin");
  for (const table of tables) {
    const query = client.query(copyFrom(`copy uploads.${table} from stdin`));
    const file = createReadStream(fileOf(table, folder), { highWaterMark: chunkBytes });
    await pipeline(file, query);
  }
  await client.query("commit");
  await client.query("select gin_clean_pending_list('uploads.uploads_by_term')");
  await client.query(`vacuum (analyze, index_cleanup off, truncate off)
    uploads.folders, uploads.uploads, uploads.folder_totals`);
  return (performance.now() - startMs) / 1000;
}

function fileOf(table: string, folder: string): string {
  return join(folder, `${table}.tsv`);
}

const chunkBytes = 256 * 1024;
