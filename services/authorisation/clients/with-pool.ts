/** Gives a command the database for as long as it runs. */
import { createLogger, openPool, readSettings } from "@stowage/process";
import type pg from "pg";
import { commandSettings } from "../settings.ts";
import { openStore } from "../store/open-store.ts";

/** Runs an action on the database, and closes it whatever happens. */
export type WithPool = <T>(action: (pool: pg.Pool) => Promise<T>) => Promise<T>;

/** Makes a {@link WithPool} for the database that the environment names. */
export function withPoolOf(environment: Record<string, string | undefined>): WithPool {
  return (action) => run(environment, action);
}

async function run<T>(
  environment: Record<string, string | undefined>,
  action: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const settings = readSettings(commandSettings, environment);
  const logger = createLogger({ name: "clients", level: settings.logLevel });
  const database = await openStore({ ...settings, logger });
  const pool = openPool({
    databaseUrl: database.databaseUrl,
    connectionsMax: 1,
    applicationName: "stowage-clients",
    logger,
  });
  try {
    return await action(pool);
  } finally {
    await pool.end();
    await database.close();
  }
}
