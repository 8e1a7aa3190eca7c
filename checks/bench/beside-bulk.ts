/** The least that one connection could do to write the rows of an import: *bulk*. */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createLogger, migrate, openDatabase } from "@stowage/process";
import { withClient } from "@stowage/process/testing";
import type pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { serverSettings } from "./loaded-database.ts";

/**
 * Measures in a new database, then the loading of the rows that are in it, in another new database.
 * Both start alike: with empty tables, and without a file or a page of memory of an earlier import.
 */
export async function besideBulk<T>(
  folder: string,
  measure: (databaseUrl: string) => Promise<T>,
): Promise<{ readonly measured: T; readonly bulkSeconds: number }> {
  const rows = join(folder, "rows");
  await mkdir(rows, { recursive: true });
  const measured = await inNewDatabase(folder, async (databaseUrl) => {
    const result = await measure(databaseUrl);
    await withClient(databaseUrl, async (client) => {
      for (const table of tables) {
        const query = client.query(copyTo(`copy uploads.${table} to stdout`));
        await pipeline(query, createWriteStream(join(rows, table)));
      }
    });
    return result;
  });
  const bulkSeconds = await inNewDatabase(folder, (databaseUrl) =>
    withClient(databaseUrl, (client) => loadRows(rows, client)),
  );
  await rm(rows, { recursive: true });
  return { measured, bulkSeconds };
}

/** The tables of the index that an import writes, each after those that it refers to. */
const tables = [
  "buckets",
  "access_versions",
  "bucket_sizes",
  "integrations",
  "folders",
  "uploads",
  "skip_index_buckets",
  "skip_index_blocks",
  "skip_index_bitmaps",
];
const chunkBytes = 256 * 1024;

/**
 * Copies the files to empty tables without indexes, makes the indexes by sorting, in one
 * transaction, and vacuums. Returns the seconds that this took.
 */
async function loadRows(folder: string, client: pg.Client): Promise<number> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid in ('uploads.uploads'::regclass, 'uploads.folders'::regclass)
       and not exists (select from pg_constraint where conindid = indexrelid)`,
  );
  const startMs = performance.now();
  await client.query("begin; set local maintenance_work_mem = '256MB'");
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (const table of tables) {
    const file = createReadStream(join(folder, table), { highWaterMark: chunkBytes });
    await pipeline(file, client.query(copyFrom(`copy uploads.${table} from stdin`)));
  }
  for (const { definition } of indexes) await client.query(definition);
  await client.query("commit");
  await client.query(`vacuum (analyze, index_cleanup off, truncate off)
    uploads.folders, uploads.uploads`);
  return (performance.now() - startMs) / 1000;
}

const schemaDirectory = new URL("../../services/uploads/schema/", import.meta.url);

/** Removes the database afterwards. */
async function inNewDatabase<T>(
  folder: string,
  work: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  const logger = createLogger({ name: "bench", level: "warn" });
  const dataDir = { path: join(folder, "database"), isDefault: false };
  const { databaseUrl, close } = await openDatabase({ dataDir, logger, serverSettings });
  try {
    await migrate({ databaseUrl, schema: "uploads", directory: schemaDirectory, logger });
    return await work(databaseUrl);
  } finally {
    await close();
    await rm(dataDir.path, { recursive: true });
  }
}
