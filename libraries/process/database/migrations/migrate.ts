/**
 * Applies the migrations that a schema lacks.
 *
 * Each migration is one transaction. It begins by locking the schema and ends by recording the
 * migration. So programs that start together take turns, and no migration is applied twice or in
 * part.
 */
import pg from "pg";
import type { Logger } from "../../logger.ts";
import { untilAborted } from "../../until-aborted.ts";
import { inTransaction, withSessionSettings } from "../pool.ts";
import { requireWritable } from "../require-writable.ts";
import { type Migration, MigrationError, readMigrations } from "./migrations.ts";

export interface MigrateOptions {
  readonly databaseUrl: string;
  /** Name of the schema; created if missing. */
  readonly schema: string;
  /**
   * Folder of the files `NNNN-what.sql`. They run with the schema first in `search_path`, in a
   * transaction that they must not end.
   */
  readonly directory: URL;
  /** Whether the program then writes: a read-only server is refused. Default: false. */
  readonly writes?: boolean;
  readonly logger?: Logger;
  /** Aborts when the program must end: the migration that runs is then undone. */
  readonly signal?: AbortSignal;
}

/**
 * Applies the migrations that the database lacks, in order.
 *
 * @throws {MigrationError} for a database with migrations that the folder lacks, a migration that
 *   fails, a server older than PostgreSQL 15, or a database that is not in UTF-8.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const migrations = await readMigrations(options.directory);
  await applyMigrations({ ...options, migrations });
}

interface ApplyOptions extends Omit<MigrateOptions, "directory"> {
  readonly migrations: readonly Migration[];
}

/** The same for migrations that are already read. Tests apply only some of them. */
export async function applyMigrations(options: ApplyOptions): Promise<void> {
  const client = new pg.Client({
    connectionString: withSessionSettings(options.databaseUrl),
    application_name: "stowage-migrate",
    connectionTimeoutMillis: 10_000,
  });
  // A broken connection also rejects the running query, which reports it.
  client.on("error", () => undefined);
  const { signal } = options;
  const work = applyOn(client, options);
  try {
    await (signal === undefined ? work : untilAborted(work, signal));
  } finally {
    // Also closes the connection under a statement. At an abort, the server may not answer.
    const ended = client.end();
    if (!signal?.aborted) await ended;
  }
}

async function applyOn(
  client: pg.Client,
  { schema, migrations, writes, logger }: ApplyOptions,
): Promise<void> {
  await client.connect().catch((error) => {
    throw new Error("Cannot connect to the database", { cause: error });
  });
  await requireSuitableServer(client);
  if (writes) await requireWritable(client);
  while ((await applyNext(client, schema, migrations, logger)) === "more");
}

async function applyNext(
  client: pg.Client,
  schema: string,
  migrations: readonly Migration[],
  logger: Logger | undefined,
): Promise<"more" | "done"> {
  return await inTransaction(client, async () => {
    await lockSchema(client, schema, logger);
    const applied = await readApplied(client, schema);
    checkApplied(schema, applied, migrations);
    const next = migrations[applied.length];
    if (next === undefined) return "done";
    logger?.info({ schema, migration: next.name }, "applying a schema migration");
    await applyMigration(client, schema, next);
    logger?.info({ schema, migration: next.name }, "applied a schema migration");
    return "more";
  });
}

/** Longest wait for another program that migrates, and for the locks of a migration. */
const lockTimeoutMs = 600_000;

async function lockSchema(
  client: pg.Client,
  schema: string,
  logger: Logger | undefined,
): Promise<void> {
  await client.query(`set local lock_timeout = ${lockTimeoutMs}; set local statement_timeout = 0;
    set local client_connection_check_interval = '2s'`);
  const lock = `advisory_xact_lock(hashtextextended('stowage schema ' || $1, 0))`;
  const { rows } = await client.query(`select pg_try_${lock} as "isLocked"`, [schema]);
  if (!rows[0].isLocked) {
    logger?.info({ schema }, "waiting for another program that upgrades the schema");
    await client.query(`select pg_${lock}`, [schema]);
  }
  // "create … if not exists" needs the right to create even if the schema exists.
  const { rowCount } = await client.query("select from pg_namespace where nspname = $1", [schema]);
  if (rowCount === 0) await client.query(`create schema ${schema}`);
  const table = await client.query("select to_regclass($1) as name", [`${schema}.migrations`]);
  if (table.rows[0].name === null) {
    await client.query(
      `create table ${schema}.migrations (
         number integer primary key,
         name text not null,
         applied_at timestamptz not null default now()
       )`,
    );
  }
}

/** The names of the migrations that the database has, in order. */
async function readApplied(client: pg.Client, schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from ${schema}.migrations order by number`,
  );
  return rows.map(({ name }) => name);
}

function checkApplied(
  schema: string,
  applied: readonly string[],
  migrations: readonly Migration[],
): void {
  const at = applied.findIndex((name, index) => name !== migrations[index]?.name);
  if (at === -1) return;
  const needed = migrations[at];
  const advice =
    needed === undefined
      ? "; run a newer version"
      : ` (need ${needed.name}): another build made it; export its data with that build, and ` +
        "import it into an empty database";
  throw new MigrationError(
    `Cannot use the database: its schema "${schema}" has migrations that this version does not ` +
      `know, from ${applied[at]} on${advice}`,
  );
}

async function applyMigration(
  client: pg.Client,
  schema: string,
  migration: Migration,
): Promise<void> {
  await client.query("select set_config('search_path', $1, true)", [`${schema}, public`]);
  try {
    await client.query(migration.sql);
  } catch (cause) {
    throw new MigrationError(`Cannot apply migration ${migration.name}`, { cause });
  }
  await client.query(`insert into ${schema}.migrations (number, name) values ($1, $2)`, [
    migration.number,
    migration.name,
  ]);
}

/** As `server_version_num` counts. */
const serverVersionMin = 150_000;

/** @throws {MigrationError} unless the server is PostgreSQL 15 or newer and the encoding UTF-8. */
export async function requireSuitableServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string; encoding: string }>(
    `select current_setting('server_version_num')::integer as number,
            current_setting('server_version') as version,
            current_setting('server_encoding') as encoding`,
  );
  const [server] = rows;
  if (server === undefined || server.number < serverVersionMin) {
    throw new MigrationError(
      `Cannot use the database: the server is PostgreSQL ${server?.version}, need 15 or newer`,
    );
  }
  if (server.encoding !== "UTF8") {
    throw new MigrationError(
      `Cannot use the database: its encoding is ${server.encoding}, need UTF8`,
    );
  }
}
