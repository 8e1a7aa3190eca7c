/** What all commands on the index share: settings, and a program with several commands. */
import {
  addExamples,
  describeSettings,
  exitOnWrongUsage,
  readCommandSettings,
  rows,
  runProgram,
  type SettingsOf,
  type SettingsTable,
} from "@stowage/process";
import { Command } from "commander";

/** The settings of these commands. They log nothing unless something is wrong. */
export const settingsTable = {
  DATABASE_URL: rows.databaseUrl(),
  DATA_DIR: rows.dataDir(),
  LOG_LEVEL: { ...rows.logLevel(), defaultText: "warn" },
} satisfies SettingsTable;

/** What a program passes to each of its commands. */
export interface CommandContext<Table extends SettingsTable = typeof settingsTable> {
  /** The name of the program: in logs, and after `stowage-` in the database. */
  readonly name: string;
  /** Aborts when the program is asked to end. */
  readonly signal: AbortSignal;
  /** Reads the settings when a command runs: `--help` needs none. */
  readonly settings: () => SettingsOf<Table>;
}

interface CommandProgram<Table extends typeof settingsTable> {
  /** As people type it after `stowage`. */
  readonly name: string;
  readonly description: string;
  readonly settingsTable: Table;
  readonly environment: Record<string, string | undefined>;
  /** Command lines for the help. */
  readonly examples: readonly string[];
}

/** Runs a program with several commands until the one that was typed has ended. */
export async function runCommands<Table extends typeof settingsTable>(
  { name, description, settingsTable: table, environment, examples }: CommandProgram<Table>,
  commandsOf: (context: CommandContext<Table>) => readonly Command[],
): Promise<void> {
  await runProgram("stowage", async ({ signal }) => {
    const program = new Command(`stowage ${name}`).description(description);
    const settings = () => readCommandSettings(name, table, environment);
    for (const command of commandsOf({ name, signal, settings })) program.addCommand(command);
    const settingsText = `\nSettings come from the environment:\n${describeSettings(table)}`;
    for (const command of withParts(program)) command.addHelpText("after", settingsText);
    addExamples(program, examples);
    exitOnWrongUsage(program);
    await program.parseAsync();
  });
}

function withParts(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withParts)];
}
