/** The command line of a program that serves until a signal. */
import { Command } from "commander";
import {
  describeSettings,
  readSettings,
  type Setting,
  SettingsError,
  type SettingsOf,
  type SettingsTable,
} from "../settings/settings.ts";
import { exitOnWrongUsage } from "./program.ts";

/** The settings that every service has. */
type Ports = {
  readonly PORT: Setting<number>;
  readonly METRICS_PORT: Setting<number | undefined>;
};

interface ServiceProgram<Table extends SettingsTable & Ports> {
  readonly name: string;
  readonly description: string;
  readonly settingsTable: Table;
  readonly environment: Record<string, string | undefined>;
}

interface ServiceCommand<Table extends SettingsTable & Ports> {
  readonly settings: SettingsOf<Table>;
  /** With `--check-settings`: the program only says whether the settings are right. */
  readonly onlyChecks: boolean;
}

/**
 * Reads the command line and the settings. Ends the process after `--help`, and on wrong usage.
 *
 * @throws {SettingsError} that lists every error.
 */
export function readServiceCommand<Table extends SettingsTable & Ports>({
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
  const settings: SettingsOf<Table> & SettingsOf<Ports> = readSettings(settingsTable, environment);
  const { port, metricsPort } = settings;
  if (port !== 0 && port === metricsPort) {
    throw new SettingsError([
      `METRICS_PORT: got ${port}, need another port than that of the service itself`,
    ]);
  }
  return {
    settings,
    onlyChecks: program.opts().checkSettings === true,
  };
}
