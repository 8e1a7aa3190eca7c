/** Runs a command-line program of this service: its help, its settings, and its database. */
import { hostname, userInfo } from "node:os";
import {
  addExamples,
  commandPath,
  createLogger,
  describeSettings,
  exitOnWrongUsage,
  openDatabase,
  openPool,
  readCommandSettings,
  runProgram,
  type SettingsTable,
} from "@stowage/process";
import { Command } from "commander";
import type pg from "pg";
import { commandSettings } from "../settings.ts";
import { recordCommand } from "../store/audit-events.ts";
import { migrateStore } from "../store/migrate-store.ts";

/** Runs an action on the database, and closes the database whatever happens. */
export type WithPool = <T>(action: (pool: pg.Pool) => Promise<T>) => Promise<T>;

/** The variables that settings are read from. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface CommandContext {
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** The settings of commands that read more than `commandSettings`. */
type ExtraSettings = Readonly<Record<string, SettingsTable>>;

/**
 * Runs a program until its command has ended.
 *
 * @param about.settings the settings that only some commands read, by the names of these commands;
 *   every command reads `commandSettings`. The help of a command has its own, that of the program
 *   all.
 * @param about.examples command lines for the help
 * @param define adds options, subcommands and actions
 */
export async function runCommands(
  about: {
    name: string;
    description: string;
    settings?: ExtraSettings;
    examples?: readonly string[];
  },
  define: (program: Command, withPool: WithPool, context: CommandContext) => void,
): Promise<void> {
  const { name, description, settings = {}, examples = [] } = about;
  await runProgram("stowage", async ({ signal }) => {
    const program = new Command(`stowage ${name}`).description(description);
    const { env: environment } = process;
    let running: Command | undefined;
    program.hook("preAction", (_, command) => {
      running = command;
    });
    const withRecord: WithPool = (action) =>
      withPool(name, { environment, signal }, async (pool) => {
        const event = running && eventOf(running);
        return await (event ? recordCommand(pool, event, () => action(pool)) : action(pool));
      });
    define(program, withRecord, { environment, signal });
    explainSettings(program, settings);
    addExamples(program, examples);
    exitOnWrongUsage(program);
    await program.parseAsync();
  });
}

/** Adds the settings of a program and of its commands to their help. */
function explainSettings(program: Command, extra: ExtraSettings): void {
  const explain = (command: Command, table: SettingsTable) => {
    const settingsText = describeSettings(table);
    command.addHelpText("after", `\nSettings come from the environment:\n${settingsText}`);
  };
  explain(program, Object.assign({}, ...Object.values(extra), commandSettings));
  for (const command of partsOf(program)) {
    explain(command, extra[command.name()] ?? commandSettings);
  }
}

function partsOf({ commands }: Command): Command[] {
  return commands.flatMap((command) => [command, ...partsOf(command)]);
}

/**
 * Who runs a command, and which; undefined for a command that changes nothing. Its options contain
 * no secrets: those are read from files.
 */
function eventOf(command: Command) {
  const path = commandPath(command).replace(/^stowage /, "");
  if (command.name() === "list" || path === "audit") return undefined;
  const options: Record<string, unknown> = command.opts();
  return {
    operator: operatorName(),
    details: { command: path, arguments: command.args, options },
  };
}

/**
 * Who runs the command, and on which machine: `user@host`. Containers often run programs under the
 * number of a user who does not exist there. Then the name is that number.
 */
export function operatorName(findUser: () => { username: string } = userInfo): string {
  return `${userNameOf(findUser)}@${hostname()}`;
}

function userNameOf(findUser: () => { username: string }): string {
  try {
    return findUser().username;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SYSTEM_ERROR") throw error;
    return String(process.geteuid?.());
  }
}

async function withPool<T>(
  name: string,
  { environment, signal }: CommandContext,
  action: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const settings = readCommandSettings(name, commandSettings, environment);
  const logger = createLogger({ name, level: settings.logLevel });
  const { databaseUrl, close } = await openDatabase({ ...settings, logger });
  const pool = openPool({
    databaseUrl,
    // Revoking a grant takes two: one locks the grant while the other writes to the denylist.
    connectionsMax: 2,
    applicationName: `stowage-${name}`,
    logger,
  });
  try {
    await migrateStore({ databaseUrl, logger, signal });
    return await action(pool);
  } finally {
    await pool.end();
    await close();
  }
}
