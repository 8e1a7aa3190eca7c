/** Runs a command-line program of this service: its help, its settings, and its database. */
import { hostname, userInfo } from "node:os";
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
import { recordEvent } from "../store/audit-events.ts";
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
    const program = new Command(`stowage ${name}`).description(description);
    const { env: environment } = process;
    let running: Command | undefined;
    program.hook("preAction", (_, command) => {
      running = command;
    });
    const withRecord: WithPool = (action) =>
      withPool(name, environment, async (pool) => {
        const result = await action(pool);
        if (running !== undefined && !readingCommands.has(running.name())) {
          await recordCommand(pool, name, running);
        }
        return result;
      });
    define(program, withRecord, environment);
    const settingsText = describeSettings(settings);
    program.addHelpText("after", `\nSettings come from the environment:\n${settingsText}`);
    exitOnWrongUsage(program);
    await program.parseAsync();
  });
}

/** Commands that change nothing. */
const readingCommands: ReadonlySet<string> = new Set(["stowage audit", "list"]);

/** Records who ran a command. Its options contain no secrets: those are read from files. */
async function recordCommand(pool: pg.Pool, program: string, command: Command): Promise<void> {
  const { username } = userInfo();
  const options: Record<string, unknown> = command.opts();
  const path = program === command.name() ? program : `${program} ${command.name()}`;
  await recordEvent(pool, {
    kind: "operator_command",
    operator: `${username}@${hostname()}`,
    details: { command: path, arguments: command.args, options },
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
    // Revoking a grant takes two: one locks the grant while the other writes to the denylist.
    connectionsMax: 2,
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
