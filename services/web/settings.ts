/** Every setting of the page's server, by its name in the environment. */
import { fileURLToPath } from "node:url";
import {
  encryptionKeysSetting,
  issuerSetting,
  type KeyPurpose,
  rows,
  type SettingsTable,
  setting,
} from "@stowage/process";

/** How long a running request may take to finish after the service is told to stop. */
export const stopGraceMs = 10_000;

/** Database connections for requests, and for refreshing tokens, while the issuer answers. */
export const connections = { requests: 8, refreshes: 4 };

/** The schema of the service, and the folder of its migrations. */
export const webSchema = { schema: "web", directory: new URL("schema/", import.meta.url) };

/** The key that encrypts the tokens of sessions. */
export const keyPurpose: KeyPurpose = {
  setting: "SESSION_ENCRYPTION_KEY",
  fileName: "session-encryption-key",
  keyName: "the session encryption key",
  encrypted: "the tokens of sessions",
};

export const settingsTable = {
  HOST: rows.host(),
  PORT: rows.port(8082),
  PAGE_URL: pageUrl(),
  PAGE_DIR: pageDir(),
  DATABASE_URL: rows.databaseUrl(),
  DATA_DIR: rows.dataDir(),
  AUTH_URL: issuerSetting(
    rows.url("Issuer at which people sign in, exactly as in the iss claim of its tokens.", {
      default: "http://127.0.0.1:8081",
    }),
  ),
  AUDIENCE: rows.text("Identifier of the uploads service, which tokens are requested for.", {
    default: "urn:svc:uploads",
  }),
  BASE_URL: rows.url("Address at which this server reaches the uploads service.", {
    default: "http://127.0.0.1:8080",
  }),
  CONTENT_ORIGIN: rows.url(
    "The same setting of the uploads service: browsers that save content, or open it in a tab, " +
      "are redirected there; only previews pass through this server. Default: all content does.",
    { optional: true },
  ),
  CLIENT_ID: rows.text("ID of this server as a client of the issuer.", {
    need: "the ID that stowage clients add prints",
  }),
  CLIENT_SECRET: rows.secret("Secret of the client; this or CLIENT_SECRET_FILE is required.", {
    optional: true,
  }),
  CLIENT_SECRET_FILE: rows.text("File with that secret.", { optional: true }),
  SCOPE: rows.text("Scopes that are requested, separated by spaces.", {
    default: "openid profile email upl:bucket:read",
  }),
  SESSION_ENCRYPTION_KEY: encryptionKeysSetting(
    "Key that encrypts the tokens of sessions in the database: 32 bytes in base64. Of several, " +
      "separated by spaces, the first encrypts, and the others only decrypt.",
  ),
  SESSION_ENCRYPTION_KEY_FILE: rows.text(
    "File with that key; created if nothing is encrypted yet. Default: session-encryption-key in " +
      "DATA_DIR; with DATABASE_URL, only if DATA_DIR is set and the file exists.",
    { optional: true },
  ),
  SESSION_COOKIE: sessionCookie(),
  PAGE_SESSION_IDLE_S: seconds("Seconds until a session ends, from its last request.", 8 * 3600),
  PAGE_SESSION_MAX_S: seconds("Seconds until a session ends, from the sign-in.", 7 * 86_400),
  PERSON_SESSIONS_MAX: rows.integer(
    "Maximum number of sessions of one person; a further sign-in ends the oldest.",
    { default: 50, min: 1, max: 10_000 },
  ),
  SESSION_REQUESTS_MAX: rows.integer(
    "Maximum number of requests of one session at once, in each process.",
    {
      default: 64,
      min: 1,
      max: 10_000,
    },
  ),
  PERSON_CONTENT_MAX: rows.integer(
    "Maximum number of requests for content of one person at once, in each process.",
    { default: 32, min: 1, max: 10_000 },
  ),
  PENDING_SIGN_INS_MAX: rows.integer(
    "Maximum number of sign-ins of one browser at once; a further one ends the oldest.",
    // Each is a cookie of up to 3.2 kB, and all headers of a request must stay below 16 KiB.
    { default: 3, min: 1, max: 3 },
  ),
  PENDING_SIGN_IN_S: seconds("Seconds that a sign-in may take.", 600, { min: 10, max: 3600 }),
  ADDRESS_CONNECTIONS_MAX: rows.addressConnectionsMax(),
  TRUSTED_PROXIES: rows.trustedProxies(),
  KEEP_ALIVE_TIMEOUT_MS: rows.keepAliveTimeout(),
  DRAIN_MS: rows.drain(),
  ACCESS_LOG: rows.accessLog(),
  METRICS_PORT: rows.metricsPort(),
  LOG_LEVEL: rows.logLevel(),
} satisfies SettingsTable;

function pageUrl() {
  const description =
    "The page's address for browsers: an https origin, or an http one of this machine. " +
    "Default: where it listens.";
  const need = "an https origin such as https://files.example.com, or an http one of this machine";
  const schema = rows
    .url(description, { optional: true })
    .schema.transform((text) => text?.replace(/\/$/, ""))
    .refine((text) => text === undefined || isPageOrigin(text), { error: need });
  return setting(schema, description);
}

/** Browsers store the session's cookie only where a connection is secure, or local. */
function isPageOrigin(text: string): boolean {
  const { origin, protocol, hostname } = new URL(text);
  if (origin !== text) return false;
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

/** Its prefix keeps sibling domains from setting it: see model/cookies.ts. */
function sessionCookie() {
  const description =
    "Name of the session's cookie. Servers at several ports of one host need different names: " +
    "browsers do not separate cookies by port. Over http the name has no __Host-.";
  const need = "__Host- and then up to 64 letters, digits, _ and -";
  const row = rows.text(description, { default: "__Host-stowage" });
  return {
    ...row,
    schema: row.schema.refine((text) => /^__Host-[\w-]{1,64}$/.test(text), { error: need }),
  };
}

/** The folder of the build, wherever the program is started. */
function pageDir() {
  const folder = fileURLToPath(new URL("../../clients/web/dist", import.meta.url));
  const row = rows.text("Folder of the page's build.", { optional: true });
  const schema = row.schema.transform((text) => text ?? folder);
  return {
    ...setting(schema, row.description),
    shownDefault: "clients/web/dist, which npm run build makes",
  };
}

function seconds(
  description: string,
  secondsDefault: number,
  { min, max } = { min: 1, max: 366 * 86_400 },
) {
  return rows.integer(description, { default: secondsDefault, min, max });
}
