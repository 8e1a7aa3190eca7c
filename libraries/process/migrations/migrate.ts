/**
 * Brings a schema up to the steps the code knows.
 *
 * Every step is a transaction that begins with the schema's lock and ends with the step's record,
 * so programs that start together take turns, and a step is applied whole, once, or not at all.
 */
import pg from "pg";
import type { Logger } from "../logger.ts";
import { withSessionDefaults } from "../pool.ts";
import { inTransaction } from "../transaction.ts";
import { DatabaseTooNewError, MigrationError } from "./errors.ts";
import { requireSuitableServer } from "./server.ts";
import { readSteps, type Step } from "./steps.ts";

export interface MigrateOptions {
  readonly databaseUrl: string;
  /** Name of the schema; it is created when missing. */
  readonly schema: string;
  /** Folder of files `NNNN-what.sql`, which run with the schema first in `search_path`. */
  readonly directory: URL;
  readonly logger?: Logger;
}

/**
 * Applies the steps that the database lacks, in order.
 *
 * @throws {DatabaseTooNewError} when the database has steps the folder lacks.
 * @throws {MigrationError} for wrong file names, a recorded step of another name, a step that
 *   fails, a server older than PostgreSQL 15, or a database that is not in UTF-8.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const steps = await readSteps(options.directory);
  await applySteps({ ...options, steps });
}

/** `migrate` for steps already read: tests stop half-way. */
export async function applySteps(
  options: Omit<MigrateOptions, "directory"> & { readonly steps: readonly Step[] },
): Promise<void> {
  requireSchemaName(options.schema);
  const client = new pg.Client({
    connectionString: withSessionDefaults(options.databaseUrl),
    application_name: "stowage-migrate",
    connectionTimeoutMillis: 10_000,
  });
  // A broken connection also rejects the query that is running, which is where it is reported.
  client.on("error", () => undefined);
  await client.connect().catch((error) => {
    throw new Error("Cannot connect to the database", { cause: error });
  });
  try {
    await requireSuitableServer(client);
    while ((await applyNext(client, options.schema, options.steps, options.logger)) === "more");
  } finally {
    await client.end();
  }
}

function requireSchemaName(schema: string): void {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new MigrationError(
      `Cannot use schema "${schema}": need lower-case letters, digits and "_", at most 63`,
    );
  }
}

async function applyNext(
  client: pg.Client,
  schema: string,
  steps: readonly Step[],
  logger: Logger | undefined,
): Promise<"more" | "done"> {
  return await inTransaction(client, async () => {
    await takeTurn(client, schema);
    const applied = await readApplied(client, schema);
    requireKnown(schema, applied, steps);
    const next = steps[applied.length];
    if (next === undefined) return "done";
    await applyStep(client, schema, next);
    logger?.info({ schema, step: next.name }, "applied a schema step");
    return "more";
  });
}

/** Longest wait for another program that is migrating, and for locks of a step. */
const lockTimeoutMs = 600_000;

async function takeTurn(client: pg.Client, schema: string): Promise<void> {
  await client.query(`set local lock_timeout = ${lockTimeoutMs}; set local statement_timeout = 0`);
  await client.query("select pg_advisory_xact_lock(hashtextextended('stowage schema ' || $1, 0))", [
    schema,
  ]);
  // Asked for first: "if not exists" needs the right to create even when it does exist.
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

interface AppliedStep {
  readonly number: number;
  readonly name: string;
}

async function readApplied(client: pg.Client, schema: string): Promise<readonly AppliedStep[]> {
  const { rows } = await client.query<AppliedStep>(
    `select number, name from ${schema}.migrations order by number`,
  );
  return rows;
}

function requireKnown(schema: string, applied: readonly AppliedStep[], steps: readonly Step[]) {
  const last = applied.at(-1);
  if (last !== undefined && last.number > steps.length) {
    throw new DatabaseTooNewError(
      `Cannot use the database: its schema "${schema}" is at step ${last.name}, this version of ` +
        `the program knows ${steps.at(-1)?.name ?? "none"} as the last; run a newer version`,
    );
  }
  for (const [index, { number, name }] of applied.entries()) {
    const step = steps[index];
    if (step?.number !== number || step.name !== name) {
      throw new MigrationError(
        `Cannot use the database: its schema "${schema}" has step "${name}" as number ${number}, ` +
          `need "${step?.name}"`,
      );
    }
  }
}

async function applyStep(client: pg.Client, schema: string, step: Step): Promise<void> {
  // The mark lives as long as the transaction: a step that ends it would lose step or record.
  await client.query(
    "select set_config('search_path', $1, true), set_config('stowage.step', $2, true)",
    [`${schema}, public`, step.name],
  );
  try {
    await client.query(step.sql);
  } catch (error) {
    throw new MigrationError(`Cannot apply step ${step.name}${lineOf(error, step.sql)}`, {
      cause: error,
    });
  }
  const { rows } = await client.query("select current_setting('stowage.step', true) as mark");
  if (rows[0].mark !== step.name) {
    throw new MigrationError(`Cannot apply step ${step.name}: it must not end the transaction`);
  }
  await client.query(`insert into ${schema}.migrations (number, name) values ($1, $2)`, [
    step.number,
    step.name,
  ]);
}

function lineOf(error: unknown, sql: string): string {
  const position = error instanceof pg.DatabaseError ? Number(error.position) : Number.NaN;
  if (Number.isNaN(position)) return "";
  // PostgreSQL counts characters, not UTF-16 units.
  const before = Array.from(sql).slice(0, position - 1);
  return ` (line ${before.filter((character) => character === "\n").length + 1})`;
}
