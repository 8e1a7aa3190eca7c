import { rows, type SettingsTable } from "@stowage/process";

export const leaseSetting = rows.milliseconds(
  "Time after which another process may continue the run of a process that has died.",
  { default: 10_000, min: 1000, max: 600_000 },
);

export const deletedDataSetting = rows.integer(
  "Days for which tags, description and the like of deleted files are kept, to be given back.",
  { default: 30, min: 0, max: 3650 },
);

/** Every setting of `stowage serve sync`, by its name in the environment. */
export const settingsTable = {
  HOST: rows.host(),
  PORT: rows.port(8083),
  DATABASE_URL: rows.databaseUrl(),
  DATA_DIR: rows.dataDir(),
  SOURCES_AT_ONCE_MAX: rows.integer(
    "Maximum number of sources that this process runs at the same time, and of small runs.",
    {
      default: 2,
      min: 1,
      max: 100,
    },
  ),
  LEASE_MS: leaseSetting,
  DELETED_DATA_DAYS: deletedDataSetting,
  METRICS_PORT: rows.metricsPort(),
  LOG_LEVEL: rows.logLevel(),
} satisfies SettingsTable;
