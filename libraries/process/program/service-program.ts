/** The command line of a program that serves until a signal. */
import { Command } from "commander";
import {
  describeSettings,
  readSettings,
  type SettingsOf,
  type SettingsTable,
} from "../settings/settings.ts";
import { exitOnWrongUsage } from "./program.ts";

interface ServiceProgram<Table extends SettingsTable> {
  readonly name: string;
  readonly description: string;
  readonly settingsTable: Table;
  readonly environment: Record<string, string | undefined>;
}

interface ServiceCommand<Table extends SettingsTable> {
  readonly settings: SettingsOf<Table>;
  /** With `--check-settings`: the program only says whether the settings are right. */
  readonly onlyChecks: boolean;
}

/**
 * Reads the command line and the settings. Ends the process after `--help`, and on wrong usage.
 *
 * @throws {SettingsError} that lists every error.
 */
export function readServiceCommand<Table extends SettingsTable>({
  name,
  description,
  settingsTable,
  environment,
}: ServiceProgram<Table>): ServiceCommand<Table> {
  const settingsText = describeSettings(settingsTable);
  const program = new Command(`stowage serve ${name}`)
    .description(description)
    .option("--check-settings", "only check the settings")
    .addHelpText("after", `\nSettings come from the environment:\n${settingsText}`);
  exitOnWrongUsage(program);
  program.parse();
  return {
    settings: readSettings(settingsTable, environment),
    onlyChecks: program.opts().checkSettings === true,
  };
}
