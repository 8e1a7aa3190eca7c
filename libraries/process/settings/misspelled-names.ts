/** Finds names in the environment that are probably misspelled settings. */
import { createLogger, type Logger } from "../logger.ts";
import { readSettings, type Setting, type SettingsOf, type SettingsTable } from "./settings.ts";

/**
 * Logs a warning for each name that is almost that of a setting which is not set: a program would
 * take its default, for example an empty embedded database instead of the one at DATABASE_URL.
 */
export function warnOfMisspelledNames(
  table: SettingsTable,
  environment: Readonly<Record<string, string | undefined>>,
  logger: Logger,
): void {
  const given = Object.keys(environment).filter((name) => environment[name] && !(name in table));
  for (const setting of Object.keys(table)) {
    if (environment[setting]) continue;
    for (const found of given.filter((name) => isAlmost(name.toUpperCase(), setting))) {
      logger.warn(
        { found, setting },
        "an environment variable is no setting, but its name is almost that of one",
      );
    }
  }
}

type LogLevel = { readonly LOG_LEVEL: Setting<string> };

/** Reads the settings of a command, and warns of misspelled ones. Throws as `readSettings`. */
export function readCommandSettings<Table extends SettingsTable & LogLevel>(
  name: string,
  table: Table,
  environment: Record<string, string | undefined>,
): SettingsOf<Table> {
  const settings: SettingsOf<Table> & SettingsOf<LogLevel> = readSettings(table, environment);
  // npm start has a channel to each command that it runs. Its services have already warned.
  if (!process.connected) {
    warnOfMisspelledNames(table, environment, createLogger({ name, level: settings.logLevel }));
  }
  return settings;
}

/** Names of other programs are often as close to short names: `POST` and `HOSTS` are ordinary. */
export function isAlmost(name: string, setting: string): boolean {
  const edits = setting.length >= 12 ? 2 : 1;
  return setting.length >= 6 && isWithin(edits, name, setting);
}

/** Whether texts differ by at most so many letters that are added, removed, changed or swapped. */
function isWithin(edits: number, one: string, other: string): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [a, b] = [one.slice(same), other.slice(same)];
  if (a === "" || b === "") return a.length + b.length <= edits;
  if (edits === 0) return false;
  const isSwapped = a[0] === b[1] && a[1] === b[0];
  return (
    isWithin(edits - 1, a.slice(1), b.slice(1)) ||
    isWithin(edits - 1, a.slice(1), b) ||
    isWithin(edits - 1, a, b.slice(1)) ||
    (isSwapped && isWithin(edits - 1, a.slice(2), b.slice(2)))
  );
}
