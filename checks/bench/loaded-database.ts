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
import type pg from "pg";
import { type DataSet, largeFolder, writeLines } from "./data-set.ts";
import { runStowage } from "./run-stowage.ts";

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
  const digests = { data: dataSet.digest, schema: await schemaDigest(checkout) };
  const path = join(folder.path, `${dataSet.name}-${digests.schema.slice(0, 8)}`);
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
      places = await load(dataSet, path, { checkout, databaseUrl, signal });
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

async function load(
  dataSet: DataSet,
  folder: string,
  options: {
    readonly checkout: string;
    readonly databaseUrl: string;
    readonly signal: AbortSignal;
  },
): Promise<Places> {
  const file = join(folder, "uploads.ndjson");
  await writeLines(dataSet, file);
  return await withClient(options.databaseUrl, async (client) => {
    await client.query("drop schema if exists uploads cascade");
    await runStowage(["import", "ndjson", file], options);
    await rm(file);
    // Autovacuum would do this later, and disturb the measurement.
    await client.query("vacuum (analyze)");
    return await findPlaces(client);
  });
}

/** How much there is, and which parts of it are listed. */
export interface Places {
  readonly uploads: number;
  readonly folders: number;
  readonly folder: Place;
  /** The folder that, with all below it, is closest to a tenth of all uploads. */
  readonly subtree: Place;
}

interface Place {
  readonly path: string;
  readonly uploads: number;
}

async function findPlaces(client: pg.ClientBase): Promise<Places> {
  const first = async (text: string, ...values: unknown[]) =>
    (await client.query(text, values)).rows[0];
  const counts = await first(
    `
    select count(*)::integer as uploads, count(*) filter (where path = $1)::integer as of_folder,
      (select count(*)::integer from uploads.folders) as folders
    from uploads.uploads`,
    largeFolder,
  );
  const { uploads, folders, of_folder } = counts;
  const subtree = await first(closestSubtree, uploads / 10);
  return { uploads, folders, folder: { path: largeFolder, uploads: of_folder }, subtree };
}

const closestSubtree = `
  select '/' || array_to_string(segments[2:depth + 1], '/') as path, count(*)::integer as uploads
  from uploads.uploads, string_to_array(path, '/') as segments, generate_series(1, 4) as depth
  where path <> '/' and cardinality(segments) > depth
  group by 1
  order by abs(count(*) - $1), 1
  limit 1`;
