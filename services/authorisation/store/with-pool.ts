/** Gives a command the database for as long as it runs. */
import { createLogger, openPool, readSettings } from "@stowage/process";
import type pg from "pg";
import { commandSettings } from "../settings.ts";
import { openStore } from "./open-store.ts";

/** Runs an action on the database, and closes it whatever happens. */
export type WithPool = <T>(action: (pool: pg.Pool) => Promise<T>) => Promise<T>;

/**
 * Makes a {@link WithPool} for the database that the environment names.
 *
 * @param program the name of the command, as logs and the database show it
 */
export function withPoolOf(
  program: string,
  environment: Record<string, string | undefined>,
): WithPool {
  return (action) => run(program, environment, action);
}

async function run<T>(
  program: string,
  environment: Record<string, string | undefined>,
  action: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const settings = readSettings(commandSettings, environment);
  const logger = createLogger({ name: program, level: settings.logLevel });
  const database = await openStore({ ...settings, logger });
  const pool = openPool({
    databaseUrl: database.databaseUrl,
    connectionsMax: 1,
    applicationName: `stowage-${program}`,
    logger,
  });
  try {
    return await action(pool);
  } finally {
    await pool.end();
    await database.close();
  }
}
