/**
 * A database with a data set in it. It stays on disk, so that the next run with the same data set
 * and the same schema need not load it again.
 */
import { readFile, rm, writeFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import { createLogger, type DataDir, openDatabase } from "@stowage/process";
import pg from "pg";
import { bucketLines, type DataSet, digestOf } from "../data-set/data-set.ts";
import { findPlaces, type Places } from "./find-places.ts";
import { importLines } from "./import-lines.ts";
import { indexesLater } from "./indexes-later.ts";
import { schemaDigest } from "./schema-digest.ts";

export interface LoadedDatabase extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly places: Places;
}

export interface OpenLoadedOptions {
  /** The checkout whose schema the database has, and whose importer loads it. */
  readonly checkout: string;
  /** Where databases are kept: each in a folder of its own in there. */
  readonly folder: DataDir;
  /** Load it in any case. */
  readonly fresh: boolean;
  readonly signal: AbortSignal;
}

/** Opens the data set's database; loads it first, unless it is there as it should be. */
export async function openLoaded(
  dataSet: DataSet,
  { checkout, folder, fresh, signal }: OpenLoadedOptions,
): Promise<LoadedDatabase> {
  const schema = await schemaDigest(checkout);
  const path = join(folder.path, `${dataSet.name}-schema-${schema.slice(0, digestCharacters)}`);
  const logger = createLogger({ name: "bench", level: "warn" });
  const contents = { data: await digestOf(dataSet), schema };
  const dataDir = { ...folder, path };
  const { databaseUrl, close } = await openDatabase({ dataDir, logger, serverSettings });
  try {
    const noteFile = join(path, "loaded.json");
    const note = fresh ? undefined : await readNote(noteFile);
    const isThere = note?.data === contents.data && note.schema === contents.schema;
    let places = note?.places;
    if (!isThere || places === undefined) {
      process.stderr.write(`bench: loading ${dataSet.description} into ${path}\n`);
      await rm(noteFile, { force: true });
      places = await load(dataSet, { checkout, databaseUrl, signal });
      const text = JSON.stringify({ ...contents, places } satisfies Note, undefined, 2);
      await writeFile(noteFile, `${text}\n`);
    }
    return { databaseUrl, places, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What PostgreSQL's manual advises for a machine that it has to itself. */
const serverSettings = { shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB` };

/** In a folder's name: databases of two schemas are kept beside each other. */
const digestCharacters = 8;

/** Written when all is loaded, removed before anything is. */
interface Note {
  readonly data: string;
  readonly schema: string;
  readonly places: Places;
}

async function readNote(file: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Note;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function load(
  dataSet: DataSet,
  options: { checkout: string; databaseUrl: string; signal: AbortSignal },
): Promise<Places> {
  const { databaseUrl, signal } = options;
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query("drop schema if exists uploads, benchmark cascade");
    const importing = { ...options, bucketLines };
    // The first makes the tables.
    await importLines([], importing);
    await indexesLater(client, () => importLines(dataSet.lines(), importing));
    signal.throwIfAborted();
    // What autovacuum would do some time later, and then amid the measuring.
    await client.query("vacuum (analyze)");
    return await findPlaces(client);
  } finally {
    await client.end();
  }
}
