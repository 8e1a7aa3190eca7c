/** Gives a command the database for as long as it runs. */
import { createLogger, openPool, readSettings } from "@stowage/process";
import type pg from "pg";
import { commandSettings } from "../settings.ts";
import { openStore } from "../store/open-store.ts";

/** Runs an action on the database that the environment names, and closes it whatever happens. */
export async function withPool<T>(action: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const settings = readSettings(commandSettings, process.env);
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
