/** Runs a command-line program of this service: its help, its settings, and its database. */
import {
  createLogger,
  describeSettings,
  exitOnWrongUsage,
  openPool,
  readSettings,
  runProgram,
  type SettingsTable,
} from "@stowage/process";
import { Command } from "commander";
import type pg from "pg";
import { commandSettings } from "../settings.ts";
import { openStore } from "../store/open-store.ts";

/** Runs an action on the database, and closes the database whatever happens. */
export type WithPool = <T>(action: (pool: pg.Pool) => Promise<T>) => Promise<T>;

/** The variables that settings are read from. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs a program until its command has ended.
 *
 * @param settings the settings that its help describes; default: those of every command
 * @param define adds options, subcommands and actions
 */
export async function runCommands(
  about: { name: string; description: string; settings?: SettingsTable },
  define: (program: Command, withPool: WithPool, environment: Environment) => void,
): Promise<void> {
  const { name, description, settings = commandSettings } = about;
  await runProgram(name, async () => {
    const program = new Command(name).description(description);
    const { env: environment } = process;
    define(program, (action) => withPool(name, environment, action), environment);
    const settingsText = describeSettings(settings);
    program.addHelpText("after", `\nSettings come from the environment:\n${settingsText}`);
    exitOnWrongUsage(program);
    await program.parseAsync();
  });
}

async function withPool<T>(
  name: string,
  environment: Environment,
  action: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const settings = readSettings(commandSettings, environment);
  const logger = createLogger({ name, level: settings.logLevel });
  const database = await openStore({ ...settings, logger });
  const pool = openPool({
    databaseUrl: database.databaseUrl,
    connectionsMax: 1,
    applicationName: `stowage-${name}`,
    logger,
  });
  try {
    return await action(pool);
  } finally {
    await pool.end();
    await database.close();
  }
}
