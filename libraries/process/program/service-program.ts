/** The command line of a program that serves until a signal. */
import { Command } from "commander";
import { createLogger } from "../logger.ts";
import { warnOfMisspelledNames } from "../settings/misspelled-names.ts";
import {
  describeSettings,
  readSettings,
  readTogether,
  type Setting,
  type SettingsOf,
  type SettingsTable,
} from "../settings/settings.ts";
import { isWorker } from "../workers/worker-process.ts";
import { exitOnWrongUsage } from "./program.ts";

/** The settings that every service has. */
type Common = {
  readonly LOG_LEVEL: Setting<string>;
};

type Environment = Record<string, string | undefined>;

interface ServiceProgram<Table extends SettingsTable & Common, Further> {
  readonly name: string;
  readonly description: string;
  readonly settingsTable: Table;
  readonly environment: Environment;
  /**
   * Reads what several settings and their files contain together. It reads the rows that it needs
   * again, so that errors of others do not hide its own.
   */
  readonly readFurther?: (environment: Environment) => Promise<Further>;
}

interface ServiceCommand<Table extends SettingsTable & Common, Further> {
  readonly settings: SettingsOf<Table>;
  readonly further: Further;
  /** With `--check-settings`: the program only says whether the settings are right. */
  readonly onlyChecks: boolean;
}

/**
 * Reads the command line and the settings. Ends the process after `--help`, and on wrong usage.
 *
 * @throws {SettingsError} that lists every error.
 */
export async function readServiceCommand<
  Table extends SettingsTable & Common,
  Further = undefined,
>({
  name,
  description,
  settingsTable,
  environment,
  readFurther = async () => undefined as Further,
}: ServiceProgram<Table, Further>): Promise<ServiceCommand<Table, Further>> {
  const settingsText = describeSettings(settingsTable);
  const program = new Command(`stowage serve ${name}`)
    .description(description)
    .option("--check-settings", "only check the settings")
    .addHelpText("after", `\nSettings come from the environment:\n${settingsText}`);
  exitOnWrongUsage(program);
  program.parse();
  const [settings, further] = await readTogether([
    Promise.try((): SettingsOf<Table> & SettingsOf<Common> =>
      readSettings(settingsTable, environment),
    ),
    readFurther(environment),
  ]);
  if (!isWorker()) {
    const logger = createLogger({ name, level: settings.logLevel });
    warnOfMisspelledNames(settingsTable, environment, logger);
  }
  return { settings, further, onlyChecks: program.opts().checkSettings === true };
}
