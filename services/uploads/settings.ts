import { issuerSetting, rows, type SettingsTable, setting } from "@stowage/process";

const weightMax = 1000;

/** Every setting of the uploads service, by its name in the environment. */
export const settingsTable = {
  HOST: rows.host(),
  PORT: rows.port(8080),
  DATABASE_URL: rows.databaseUrl(),
  DATA_DIR: rows.dataDir(),
  AUTH_URL: issuerSetting(
    rows.url("Issuer of the tokens that are accepted, exactly as in their iss claim.", {
      default: "http://127.0.0.1:8081",
    }),
  ),
  AUDIENCE: rows.text("This service's identifier; a token's aud claim must contain it.", {
    default: "urn:svc:uploads",
  }),
  BASE_URL: rows.url(
    "This service's own address, for addresses of content. Default: where it listens.",
    { optional: true },
  ),
  CONTENT_ORIGIN: rows.url(
    "A second address of this service, on an origin of its own, for links to content. " +
      "Default: BASE_URL.",
    { optional: true },
  ),
  CONTENT_STREAMS_MAX: rows.integer(
    "Maximum number of answers with content at once, in all workers together.",
    { default: 256, min: 1, max: 100_000 },
  ),
  CLOCK_TOLERANCE_S: rows.integer(
    "Maximum number of seconds by which the issuer's clock may be ahead.",
    {
      default: 5,
      min: 0,
      max: 60,
    },
  ),
  DENYLIST_DATABASE_URL: rows.databaseUrl(
    "Database of the denylist: the authorisation service's. Default: DATABASE_URL.",
  ),
  DENYLIST_LAG_MAX_MS: rows.milliseconds("Maximum age of the denylist of revoked tokens.", {
    default: 10_000,
    min: 2000,
    max: 3_600_000,
  }),
  DENYLIST_WHEN_BEHIND: rows.choice(
    "What to do with calls while the denylist is older than that: refuse (503) or serve.",
    { values: ["refuse", "serve"], default: "refuse" },
  ),
  WORKERS: rows.integer("Processes that answer calls on the one port.", {
    default: 1,
    min: 1,
    max: 256,
  }),
  DATABASE_CONNECTIONS_MAX: rows.integer(
    "Maximum number of database connections for lists, in all workers together.",
    // More statements at once than processors only slow each other down, and those of others.
    { default: 2, perCore: true, min: 1, max: 10_000 },
  ),
  TIMEOUT_MAX_MS: rows.milliseconds(
    "Longest time for the work of one call; sending the answer does not count.",
    {
      default: 30_000,
      min: 1,
      max: 600_000,
    },
  ),
  SEND_PROGRESS_MS: rows.milliseconds("Time in which a caller must read 16 KiB of its answer.", {
    default: 10_000,
    min: 100,
    max: 600_000,
  }),
  LONG_SCAN_CONNECTIONS_MAX: rows.integer(
    "Maximum number of lists at once that read a large part of a bucket, in all workers together.",
    { default: 0.5, perCore: true, min: 1, max: 1000 },
  ),
  LONG_SCAN_TIMEOUT_MS: rows.milliseconds(
    "Longest time for the long scans of one list; then the answer is LIST_TOO_EXPENSIVE.",
    { default: 5000, min: 1, max: 600_000 },
  ),
  TREE_CONNECTIONS_MAX: rows.integer(
    "Maximum number of trees at once, each with a connection, in all workers together.",
    { default: 4, min: 1, max: 1000 },
  ),
  TREE_NODES_MAX: rows.integer("Maximum number of folders and uploads in one tree.", {
    default: 2_000_000,
    min: 1,
    max: 100_000_000,
  }),
  TENANT_WEIGHTS: tenantWeights(),
  WAITING_CALLS_MAX: rows.integer(
    "Maximum number of calls that wait for a connection, for each of lists, long scans and " +
      "trees, in all workers together.",
    { default: 1000, min: 1, max: 1_000_000 },
  ),
  TENANT_CALLS_PER_MINUTE_MAX: callsPerMinuteMax("organisation"),
  CLIENT_CALLS_PER_MINUTE_MAX: callsPerMinuteMax("client"),
  RATE_LIMIT_STORE: rows.choice(
    "Where calls are counted: memory (each worker allows its share of the limits) or postgres " +
      "(all servers count together).",
    { values: ["memory", "postgres"], default: "memory" },
  ),
  ADDRESS_CONNECTIONS_MAX: rows.addressConnectionsMax(),
  TRUSTED_PROXIES: rows.trustedProxies(),
  CORS_ORIGINS: corsOrigins(),
  KEEP_ALIVE_TIMEOUT_MS: rows.keepAliveTimeout(),
  DRAIN_MS: rows.drain(),
  SHUTDOWN_GRACE_MS: rows.milliseconds("Time for running calls to end when the service stops.", {
    default: 10_000,
    max: 60_000,
  }),
  ACCESS_LOG: rows.accessLog(),
  METRICS_PORT: rows.metricsPort(),
  LOG_LEVEL: rows.logLevel(),
} satisfies SettingsTable;

function callsPerMinuteMax(whose: string) {
  return rows.integer(`Maximum number of calls of one ${whose} in a minute; 0: no limit.`, {
    default: 0,
    min: 0,
    max: 1_000_000_000,
  });
}

/** A weight for each organisation in a text such as `acme=4 globex=2`. */
function tenantWeights() {
  const description =
    "Shares of organisations in connections and waiting calls, as in acme=4 globex=2; all others " +
    "have 1.";
  const need =
    `organisations, each once, with whole numbers from 1 to ${weightMax}, ` +
    "as in acme=4 globex=2";
  const parse = (text = ""): [string, number][] =>
    text
      .split(/\s+/)
      .filter((entry) => entry !== "")
      .map((entry) => {
        const end = entry.lastIndexOf("=");
        return [entry.slice(0, Math.max(0, end)), Number(entry.slice(end + 1))];
      });
  const isWeight = ([organisation, weight]: [string, number]) =>
    /^[^=,]+$/.test(organisation) && Number.isInteger(weight) && weight >= 1 && weight <= weightMax;
  const isUnique = (weights: [string, number][]) => new Map(weights).size === weights.length;
  const schema = rows
    .text(description, { optional: true })
    .schema.refine((text) => parse(text).every(isWeight) && isUnique(parse(text)), { error: need })
    .transform((text): ReadonlyMap<string, number> => new Map(parse(text)));
  return setting(schema, description);
}

/** Origins such as `https://app.example.com`, separated by spaces. Default: none. */
function corsOrigins() {
  const description =
    "Origins of web pages that may call the service from a browser, separated by spaces.";
  const schema = rows
    .text(description, { optional: true })
    .schema.transform((text = "") => text.split(/\s+/).filter((origin) => origin !== ""))
    .refine((origins) => origins.every(isOrigin), {
      error: "origins such as https://app.example.com, without a path, separated by spaces",
    });
  return setting(schema, description);
}

/** Whether a text is exactly what browsers send as the origin of a page. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
