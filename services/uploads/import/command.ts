/** Shared by the commands of the index: settings, database connections, the bucket they name. */
import {
  createLogger,
  describeSettings,
  exitOnWrongUsage,
  openDatabase,
  openPool,
  readSettings,
  rows,
  runProgram,
  type SettingsOf,
  type SettingsTable,
} from "@stowage/process";
import { Command, InvalidArgumentError } from "commander";
import type pg from "pg";
import { normalisePath, PathError } from "../model/path.ts";
import { createDatabase, type Database } from "../postgres/database.ts";
import { onOneConnection } from "../postgres/one-connection.ts";
import { prepareDatabase } from "../postgres/prepare-database.ts";
import { RawClient } from "../postgres/raw-client.ts";
import { whileCleaningTerms } from "./merge/clean-terms.ts";
import { checkHostname, checkOrganisationId } from "./records/check-record.ts";

/** The settings of these commands. They log nothing unless something is wrong. */
export const settingsTable = {
  DATABASE_URL: rows.databaseUrl(),
  DATA_DIR: rows.dataDir(),
  LOG_LEVEL: { ...rows.logLevel(), defaultText: "warn" },
} satisfies SettingsTable;

type ImportSettings = SettingsOf<typeof settingsTable>;

/** What `main.ts` passes to each command. */
export interface CommandContext {
  /** Aborts when the program is asked to end. */
  readonly signal: AbortSignal;
  /** Reads the settings when a command runs: `--help` needs none. */
  readonly settings: () => ImportSettings;
}

interface CommandProgram<Table extends SettingsTable> {
  /** As people type it after `stowage`. */
  readonly name: string;
  readonly description: string;
  readonly settingsTable: Table;
  readonly environment: Record<string, string | undefined>;
}

/** Runs a program with several commands until the one that was typed has ended. */
export async function runCommands<Table extends SettingsTable>(
  { name, description, settingsTable: table, environment }: CommandProgram<Table>,
  commandsOf: (context: {
    readonly signal: AbortSignal;
    readonly settings: () => SettingsOf<Table>;
  }) => readonly Command[],
): Promise<void> {
  await runProgram("stowage", async ({ signal }) => {
    const program = new Command(`stowage ${name}`).description(description);
    const settings = () => readSettings(table, environment);
    for (const command of commandsOf({ signal, settings })) program.addCommand(command);
    const settingsText = `\nSettings come from the environment:\n${describeSettings(table)}`;
    for (const command of [program, ...program.commands])
      command.addHelpText("after", settingsText);
    exitOnWrongUsage(program);
    await program.parseAsync();
  });
}

/** Parses a host name from the command line; returns it in lower case. */
export function parseHostname(text: string): string {
  return checkHostname(text, "the host name", rejectArgument);
}

/** Parses the path of a folder from the command line; returns it in normal form. */
export function parsePath(text: string): string {
  try {
    return normalisePath(text);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    throw new InvalidArgumentError(`The path ${error.message}.`);
  }
}

export function parseOrganisationId(text: string): string {
  return checkOrganisationId(text, "the identifier", rejectArgument);
}

/** Reports a wrong argument. */
function rejectArgument(_field: string, got: string, need: string): never {
  throw new InvalidArgumentError(`Got ${got}, need ${need}.`);
}

interface KnownBucket {
  readonly bucketId: string;
  readonly organisationId: string;
  readonly isPrimary: boolean;
}

/** The bucket with that host name, which must be in lower case. */
export async function findBucketByHostname(
  client: pg.ClientBase,
  hostname: string,
): Promise<KnownBucket | undefined> {
  const { rows } = await client.query<KnownBucket>(
    `select bucket_id as "bucketId", organisation_id as "organisationId", is_primary as "isPrimary"
     from uploads.buckets where hostname = $1`,
    [hostname],
  );
  return rows[0];
}

/**
 * Runs `work` on one connection to the database that the settings name, and closes everything in
 * any case. When the signal aborts, the connection is closed. That undoes what is not committed,
 * and the signal's reason is thrown. If the import is already committed and only its skip index is
 * being rebuilt, the import ends normally, with a `skipIndexError`.
 */
export function withDatabase<T>(
  settings: ImportSettings,
  signal: AbortSignal,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const options = { connectionsMax: 1, signal };
  return withPool(settings, options, (pool) => onOneConnection(pool, signal, work));
}

/** The same for an import, for which another connection keeps the index of terms fast. */
export function withImport<T>(
  settings: ImportSettings,
  signal: AbortSignal,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const options = { connectionsMax: 2, signal };
  return withPool(settings, options, (pool) =>
    whileCleaningTerms(pool, () => onOneConnection(pool, signal, work)),
  );
}

/** Runs `work` with connections to the database that the settings name, then closes everything. */
export function withPool<T>(
  settings: ImportSettings,
  { connectionsMax, signal }: { readonly connectionsMax: number; readonly signal: AbortSignal },
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  return withPreparedDatabase("import", settings, { connectionsMax }, (pool) => {
    signal.throwIfAborted();
    return work(pool);
  });
}

/** The index, as the program reads and, over the pool, writes it. */
export interface OpenIndex {
  readonly database: Database;
  readonly pool: pg.Pool;
}

/**
 * Runs `work` with the index in the database that the settings name, then closes everything.
 *
 * @param program its name in logs, and after `stowage-` in the database.
 */
export function withIndex<T>(
  program: string,
  settings: ImportSettings,
  work: (index: OpenIndex) => Promise<T>,
): Promise<T> {
  // One connection reads; the other one cancels its statement.
  const options = { connectionsMax: 2, Client: RawClient };
  return withPreparedDatabase(program, settings, options, (pool) =>
    work({ database: createDatabase(pool, pool), pool }),
  );
}

async function withPreparedDatabase<T>(
  program: string,
  settings: ImportSettings,
  options: Pick<Parameters<typeof openPool>[0], "connectionsMax" | "Client">,
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const logger = createLogger({ name: program, level: settings.logLevel });
  const { databaseUrl, close } = await openDatabase({ ...settings, logger });
  const applicationName = `stowage-${program}`;
  const pool = openPool({ ...options, databaseUrl, applicationName, logger });
  try {
    await prepareDatabase(databaseUrl, logger);
    return await work(pool);
  } finally {
    await pool.end();
    await close();
  }
}
