import { rows, type SettingsOf, type SettingsTable } from "@stowage/process";

/** The settings of the import commands, which are quiet unless something is wrong. */
export const settingsTable = {
  DATABASE_URL: rows.databaseUrl(),
  DATA_DIR: rows.dataDir(),
  LOG_LEVEL: { ...rows.logLevel(), defaultText: "warn" },
} satisfies SettingsTable;

export type ImportSettings = SettingsOf<typeof settingsTable>;

/** What `main.ts` gives each command. */
export interface CommandContext {
  /** Aborts when the program is asked to end. */
  readonly signal: AbortSignal;
  /** Reads the settings; not before a command runs, since `--help` needs none. */
  readonly settings: () => ImportSettings;
}
