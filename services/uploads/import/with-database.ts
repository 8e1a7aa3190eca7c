import { createLogger, openDatabase, openPool } from "@stowage/process";
import type pg from "pg";
import { prepareDatabase } from "../postgres/prepare-database.ts";
import type { ImportSettings } from "./settings.ts";

/**
 * Runs an import on one connection to the database that the settings name, and closes everything
 * whatever happens. When the signal aborts, the connection is cut, which undoes what was not
 * committed, and the signal's reason is thrown; but an import that is cut while it renews zones is
 * committed already, and ends with that as its `zonesError`.
 */
export async function withDatabase<T>(
  settings: ImportSettings,
  signal: AbortSignal,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const logger = createLogger({ name: "import", level: settings.logLevel });
  const database = await openDatabase({ ...settings, logger });
  const { databaseUrl } = database;
  const pool = openPool({
    databaseUrl,
    connectionsMax: 1,
    applicationName: "stowage-import",
    logger,
  });
  try {
    signal.throwIfAborted();
    await prepareDatabase(databaseUrl, logger);
    return await onOneConnection(pool, signal, work);
  } finally {
    await pool.end();
    await database.close();
  }
}

async function onOneConnection<T>(
  pool: pg.Pool,
  signal: AbortSignal,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks also fails the statement that is running, which is where it is told.
  client.on("error", () => undefined);
  let isReleased = false;
  // The staging tables go with the connection.
  const cut = () => {
    if (!isReleased) client.release(true);
    isReleased = true;
  };
  signal.addEventListener("abort", cut, { once: true });
  try {
    signal.throwIfAborted();
    await client.query(sessionSettings);
    return await work(client);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", cut);
    cut();
  }
}

// A large import takes the time it takes, but not longer than the program lives that asked for it.
const sessionSettings = "set statement_timeout = 0; set client_connection_check_interval = '2s'";
