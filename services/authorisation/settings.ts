/** The settings of the service and of its commands. */
import {
  type EncryptionKeySource,
  encryptionKeysSetting,
  findEncryptionKeys,
  issuerSetting,
  type KeyPurpose,
  readSettings,
  rows,
  SettingsError,
  setting,
} from "@stowage/process";
import { identityProviderSettings } from "./identity-provider/settings.ts";
import { accessTokenSecondsMax, lifetimesDefault } from "./model/lifetimes.ts";

/** How long a running request may take to finish after the service is told to stop. */
export const stopGraceMs = 10_000;

/** Database connections for requests, of which a token needs two short queries. */
export const requestConnectionsMax = 8;

/** The key that encrypts the signing keys. */
export const keyPurpose: KeyPurpose = {
  setting: "KEY_ENCRYPTION_KEY",
  fileName: "key-encryption-key",
  keyName: "the key encryption key",
  encrypted: "the signing keys",
};

const databaseSettings = {
  DATABASE_URL: rows.databaseUrl(),
  DATA_DIR: rows.dataDir(),
  LOG_LEVEL: rows.logLevel(),
};

const keySettings = {
  KEY_ENCRYPTION_KEY: encryptionKeysSetting(
    "Key that encrypts signing keys in the database: 32 bytes in base64. Of several, separated " +
      "by spaces, the first encrypts, and the others only decrypt.",
  ),
  KEY_ENCRYPTION_KEY_FILE: rows.text(
    "File with that key; created if nothing is encrypted yet. Default: key-encryption-key in " +
      "DATA_DIR; with DATABASE_URL, only if DATA_DIR is set and the file exists.",
    { optional: true },
  ),
  KEY_PUBLICATION_S: rows.integer(
    "Seconds between the publication of a new signing key and its first use; the same everywhere.",
    { default: 60, min: 2, max: 86_400 },
  ),
};

const addressSettings = {
  HOST: rows.host(),
  PORT: rows.port(8081),
  AUTH_URL: issuerSetting(
    rows.url(
      "Issuer: the address of the service for callers. Every token contains it exactly as " +
        "written here. Default: the address the service listens on.",
      { optional: true },
    ),
  ),
};

export const serviceSettings = {
  ...addressSettings,
  AUDIENCE: audience(),
  ...keySettings,
  ADDRESS_REQUESTS_PER_MINUTE_MAX: requestsPerMinuteMax("one address", 60_000),
  CLIENT_REQUESTS_PER_MINUTE_MAX: requestsPerMinuteMax(
    "one client for tokens and revocations",
    600,
  ),
  ADDRESS_LOGINS_PER_MINUTE_MAX: loginsPerMinuteMax("from one address", 30),
  ACCOUNT_LOGINS_PER_MINUTE_MAX: loginsPerMinuteMax("to one account", 10),
  PENDING_MAX: rows.integer(
    "Maximum number of sign-ins, pushed requests and codes of devices that are not complete. The " +
      "oldest of the address with the most are removed.",
    { default: 50_000, min: 100, max: 1_000_000 },
  ),
  ADDRESS_USER_CODES_PER_MINUTE_MAX: rows.integer(
    "Maximum number of wrong codes of devices from one address in a minute, in each process; " +
      "0: no limit.",
    { default: 10, min: 0, max: 1_000_000 },
  ),
  ADDRESS_CONNECTIONS_MAX: rows.addressConnectionsMax(),
  TRUSTED_PROXIES: rows.networks(
    "Addresses, or networks such as 10.0.0.0/8, of proxies whose X-Forwarded-For is believed, " +
      "and which may have any number of connections, separated by spaces.",
  ),
  AUTHORISATIONS_KEPT_DAYS: rows.integer("Days that records of the audit log are kept.", {
    default: 400,
    min: 1,
    max: 36_500,
  }),
  ACCESS_TOKEN_LIFETIME_S: seconds(
    "Seconds that access tokens and ID tokens are valid; at most an hour.",
    lifetimesDefault.accessToken,
    { min: 60, max: accessTokenSecondsMax },
  ),
  SESSION_IDLE_S: seconds(
    "Seconds until a person must sign in again, from the last request.",
    lifetimesDefault.sessionIdle,
  ),
  SESSION_MAX_S: seconds(
    "Seconds until a person must sign in again, from the sign-in.",
    lifetimesDefault.sessionMax,
  ),
  REFRESH_TOKEN_IDLE_S: seconds(
    "Seconds that a refresh token is valid without being used.",
    lifetimesDefault.refreshTokenIdle,
  ),
  REFRESH_TOKEN_MAX_S: seconds(
    "Seconds that tokens can be refreshed, from the sign-in.",
    lifetimesDefault.refreshTokenMax,
  ),
  REFRESH_TOKEN_GRACE_S: seconds(
    "Seconds in which a used refresh token can be used again; 0: never.",
    lifetimesDefault.refreshTokenGrace,
    { min: 0, max: 300 },
  ),
  SIGN_IN_PAGE_S: seconds(
    "Seconds that a page for signing in or consenting may stay open.",
    lifetimesDefault.interaction,
    { min: 10, max: 86_400 },
  ),
  ...identityProviderSettings,
  DRAIN_MS: rows.drain(),
  KEEP_ALIVE_TIMEOUT_MS: rows.keepAliveTimeout(),
  ACCESS_LOG: rows.accessLog(),
  METRICS_PORT: rows.metricsPort(),
  ...databaseSettings,
};

/** The commands log warnings only, by default. */
export const commandSettings = {
  ...databaseSettings,
  LOG_LEVEL: { ...databaseSettings.LOG_LEVEL, defaultText: "warn" },
};

/** Links contain the address of the service. */
export const linkCommandSettings = {
  ...addressSettings,
  ...commandSettings,
};

export const keyCommandSettings = { ...keySettings, ...commandSettings };

function audience() {
  const description =
    "Identifiers of the resource servers that tokens can be requested for, separated by spaces. " +
    "The first is the default.";
  const schema = rows
    .text(description)
    .schema.transform((text) => text.split(" ").filter((identifier) => identifier !== ""))
    .refine((identifiers) => identifiers.length > 0 && identifiers.every(isResource), {
      error: "absolute URIs without fragment, separated by spaces",
    });
  return setting(schema, description, "urn:svc:uploads");
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the keys are that encrypt the signing keys. Throws what `findEncryptionKeys` throws. */
export async function findKeys(environment: Environment): Promise<EncryptionKeySource> {
  const settings = readSettings(keyCommandSettings, environment);
  const { keyEncryptionKey: keys, keyEncryptionKeyFile: file } = settings;
  return await findEncryptionKeys(keyPurpose, { ...settings, keys, file });
}

/** @throws {SettingsError} if tokens for the service itself are offered: it issues none. */
export async function requireOtherAudience(environment: Environment): Promise<void> {
  const { AUDIENCE, AUTH_URL } = serviceSettings;
  const { audience, authUrl } = readSettings({ AUDIENCE, AUTH_URL }, environment);
  if (authUrl === undefined || !audience.includes(authUrl)) return;
  throw new SettingsError(["AUDIENCE: contains AUTH_URL, need identifiers of other servers only"]);
}

function seconds(
  description: string,
  secondsDefault: number,
  { min, max } = { min: 60, max: 366 * 86_400 },
) {
  return rows.integer(description, { default: secondsDefault, min, max });
}

function requestsPerMinuteMax(whose: string, maxDefault: number) {
  const description = `Maximum number of requests of ${whose} in a minute, in each process`;
  return rows.integer(`${description}; 0: no limit.`, {
    default: maxDefault,
    min: 0,
    max: 1_000_000,
  });
}

/** On by default: passwords can be guessed. */
function loginsPerMinuteMax(whose: string, maxDefault: number) {
  const description = `Maximum number of failed sign-ins ${whose} in a minute, in each process`;
  return rows.integer(`${description}; 0: no limit.`, {
    default: maxDefault,
    min: 0,
    max: 1_000_000,
  });
}

/** RFC 8707 section 2. */
function isResource(identifier: string): boolean {
  return URL.canParse(identifier) && !identifier.includes("#");
}
