/** The database of a command: opened from its settings, and closed in any case. */
import { createLogger, openDatabase, openPool } from "@stowage/process";
import type pg from "pg";
import { createDatabase, type Database } from "../postgres/database.ts";
import { onOneConnection } from "../postgres/one-connection.ts";
import { prepareDatabase } from "../postgres/prepare-database.ts";
import { RawClient } from "../postgres/raw-client.ts";
import type { CommandContext } from "./program.ts";

/**
 * Runs `work` on one connection. When the signal aborts, the connection is closed. That undoes what
 * is not committed, and the signal's reason is thrown.
 */
export function withDatabase<T>(
  context: CommandContext,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  return withPool(context, 1, (pool) => onOneConnection(pool, context.signal, work));
}

/** Runs `work` with up to `connectionsMax` connections. */
export function withPool<T>(
  context: CommandContext,
  connectionsMax: number,
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  return withPreparedDatabase(context, { connectionsMax }, (pool) => {
    context.signal.throwIfAborted();
    return work(pool);
  });
}

/** The index, as the program reads and, over the pool, writes it. */
export interface OpenIndex {
  readonly database: Database;
  readonly pool: pg.Pool;
}

/** Runs `work` with the index. */
export function withIndex<T>(
  context: CommandContext,
  work: (index: OpenIndex) => Promise<T>,
): Promise<T> {
  // One connection reads; the other one writes, or cancels the statement that reads.
  const options = { connectionsMax: 2, Client: RawClient };
  return withPreparedDatabase(context, options, (pool) =>
    work({ database: createDatabase(pool, pool), pool }),
  );
}

async function withPreparedDatabase<T>(
  { name, settings: readSettings, signal }: CommandContext,
  options: Pick<Parameters<typeof openPool>[0], "connectionsMax" | "Client">,
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const settings = readSettings();
  const logger = createLogger({ name, level: settings.logLevel });
  const { databaseUrl, close } = await openDatabase({ ...settings, logger });
  const pool = openPool({ ...options, databaseUrl, applicationName: `stowage-${name}`, logger });
  try {
    await prepareDatabase({ databaseUrl, logger, signal });
    return await work(pool);
  } finally {
    await pool.end();
    await close();
  }
}
