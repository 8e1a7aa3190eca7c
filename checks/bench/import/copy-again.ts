/** The least that an import of the same rows could do. */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";

/** The tables that an import writes, each after those that it refers to. */
const tables = ["buckets", "integrations", "folders", "uploads", "folder_totals"];

/**
 * Copies all rows to files, empties the tables, and copies the rows back with all indexes and
 * constraints in place, in one transaction, and then does what an import does after it: it empties
 * the pending list of the index of terms and vacuums. Returns the seconds of copying back.
 */
export async function copyAgain(client: pg.Client, folder: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  const fileOf = (table: string) => join(folder, `${table}.tsv`);
  for (const table of tables) {
    const query = client.query(copyTo(`copy uploads.${table} to stdout`));
    await pipeline(query, createWriteStream(fileOf(table)));
  }
  await client.query("truncate uploads.buckets cascade");
  const startMs = performance.now();
  await client.query("begin");
  for (const table of tables) {
    const query = client.query(copyFrom(`copy uploads.${table} from stdin`));
    await pipeline(createReadStream(fileOf(table), { highWaterMark: chunkBytes }), query);
  }
  await client.query("commit");
  await client.query("select gin_clean_pending_list('uploads.uploads_by_term')");
  await client.query("vacuum (analyze, index_cleanup off, truncate off) uploads.uploads");
  const seconds = (performance.now() - startMs) / 1000;
  await rm(folder, { recursive: true });
  return seconds;
}

const chunkBytes = 256 * 1024;
