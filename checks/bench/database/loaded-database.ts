/**
 * A database with a data set in it, in the schema of a checkout. It stays on disk, so that later
 * runs with the same data and the same schema need not load it again.
 */
import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import { createLogger, type DataDir, openDatabase } from "@stowage/process";
import { withClient } from "@stowage/process/testing";
import { bucketLines, type DataSet, digestOf } from "../data-set/data-set.ts";
import { findPlaces, type Places } from "./find-places.ts";
import { type ImportOptions, importLines } from "./import-lines.ts";

interface LoadedDatabase extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly places: Places;
}

export interface OpenLoadedOptions {
  /** The checkout whose schema the database has, and whose importer loads it. */
  readonly checkout: string;
  /** Each database is in a folder of its own in there. */
  readonly folder: DataDir;
  /** Loads the data in any case. */
  readonly fresh: boolean;
  readonly signal: AbortSignal;
}

/** Opens the database of a data set. Loads the data first, unless it is there already. */
export async function openLoaded(
  dataSet: DataSet,
  { checkout, folder, fresh, signal }: OpenLoadedOptions,
): Promise<LoadedDatabase> {
  const digests = { data: await digestOf(dataSet), schema: await schemaDigest(checkout) };
  const path = join(folder.path, `${dataSet.name}-schema-${digests.schema.slice(0, 8)}`);
  const logger = createLogger({ name: "bench", level: "warn" });
  const dataDir = { ...folder, path };
  const { databaseUrl, close } = await openDatabase({ dataDir, logger, serverSettings });
  try {
    const noteFile = join(path, "loaded.json");
    const note = fresh ? undefined : await readNote(noteFile);
    const isThere = note?.data === digests.data && note.schema === digests.schema;
    let places = isThere ? note.places : undefined;
    if (places === undefined) {
      process.stderr.write(`bench: loading ${dataSet.description} into ${path}\n`);
      await rm(noteFile, { force: true });
      places = await load(dataSet, { checkout, databaseUrl, signal });
      await writeFile(noteFile, JSON.stringify({ ...digests, places } satisfies Note));
    }
    return { databaseUrl, places, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Of the name and content of every migration. */
async function schemaDigest(checkout: string): Promise<string> {
  const folder = join(checkout, "services/uploads/schema");
  const hash = createHash("sha256");
  for (const name of (await readdir(folder)).toSorted()) {
    if (/^\d/.test(name)) hash.update(`${name}\0${await readFile(join(folder, name))}\0`);
  }
  return hash.digest("hex");
}

/** What PostgreSQL's manual recommends for a server of its own. */
export const serverSettings = { shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB` };

/** Written when all data is loaded, removed before any is. */
interface Note {
  readonly data: string;
  readonly schema: string;
  readonly places: Places;
}

async function readNote(file: string): Promise<Note | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Note);
}

/**
 * Loads without the indexes that only readers need, and creates them afterwards, as a restored dump
 * does. The rows are the same, and it takes a fraction of the time.
 */
async function load(dataSet: DataSet, options: ImportOptions): Promise<Places> {
  return await withClient(options.databaseUrl, async (client) => {
    await client.query("drop schema if exists uploads cascade");
    // The first import creates the tables.
    await importLines([], bucketLines, options);
    const { rows } = await client.query<{ name: string; definition: string }>(listIndexes);
    for (const { name } of rows) await client.query(`drop index uploads.${name}`);
    await importLines(dataSet.lines(), bucketLines, options);
    await client.query("set maintenance_work_mem = '1GB'");
    for (const { definition } of rows) await client.query(definition);
    options.signal.throwIfAborted();
    // Autovacuum would do this later, and disturb the measurement.
    await client.query("vacuum (analyze)");
    return await findPlaces(client);
  });
}

// Indexes of constraints stay, and the one that the importer reads. So do those of other tables.
const listIndexes = `
  select relname as name, pg_get_indexdef(indexrelid) as definition
  from pg_index join pg_class on pg_class.oid = indexrelid
  where indrelid in ('uploads.uploads'::regclass, 'uploads.folders'::regclass)
    and relname <> 'uploads_of_folder'
    and not indisunique and not exists (select from pg_constraint where conindid = indexrelid)
  order by relname`;
