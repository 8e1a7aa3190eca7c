import { rows, type SettingsTable } from "@stowage/process";

/** Every setting of the uploads service, by its name in the environment. */
export const settingsTable = {
  HOST: rows.host(),
  PORT: rows.port(8080),
  DATABASE_URL: rows.databaseUrl(),
  DATA_DIR: rows.dataDir(),
  AUTH_URL: rows.url("The issuer whose tokens are accepted, exactly as in their iss claim.", {
    default: "http://127.0.0.1:8081",
  }),
  AUDIENCE: rows.text("This service's identifier; a token's aud claim must hold it.", {
    default: "urn:svc:uploads",
  }),
  CLOCK_TOLERANCE_S: rows.integer("Seconds that the issuer's clock may be off by.", {
    default: 0,
    min: 0,
    max: 60,
  }),
  DENYLIST_DATABASE_URL: rows.databaseUrl(
    "Where revoked tokens are listed: the authorisation service's database. Without it, this one.",
  ),
  DENYLIST_LAG_MAX_MS: rows.milliseconds("How old the list of revoked tokens may be.", {
    default: 10_000,
    min: 2000,
    max: 3_600_000,
  }),
  DENYLIST_WHEN_BEHIND: rows.choice(
    "What to do with tokens when the list is older than that: refuse (503) or serve.",
    { values: ["refuse", "serve"], default: "refuse" },
  ),
  WORKERS: rows.integer("Processes that answer calls, all on the one port.", {
    default: 1,
    min: 1,
    max: 256,
  }),
  DATABASE_CONNECTIONS_MAX: rows.integer(
    "Most connections to the database for lists, of all workers together; each has one at least.",
    { default: 8, perCore: true, min: 1, max: 10_000 },
  ),
  TIMEOUT_MAX_MS: rows.milliseconds("Longest that one call may take.", {
    default: 30_000,
    min: 1,
    max: 600_000,
  }),
  TREE_CONNECTIONS_MAX: rows.integer(
    "Most trees under way at once, each with a database connection, in all workers; at least one " +
      "in each.",
    { default: 4, min: 1, max: 1000 },
  ),
  TREE_NODES_MAX: rows.integer("Most folders and uploads in one tree.", {
    default: 2_000_000,
    min: 1,
    max: 100_000_000,
  }),
  SHUTDOWN_GRACE_MS: rows.milliseconds("Time that running calls get after SIGTERM.", {
    default: 10_000,
    max: 60_000,
  }),
  LOG_LEVEL: rows.logLevel(),
} satisfies SettingsTable;
