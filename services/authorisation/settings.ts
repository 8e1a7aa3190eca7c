/** The settings of the service and of its commands. */
import { rows, setting } from "@stowage/process";

/** Which database, and how much to log. */
const databaseSettings = {
  DATABASE_URL: rows.databaseUrl(),
  DATA_DIR: rows.dataDir(),
  LOG_LEVEL: rows.logLevel(),
};

/** Settings of the service. */
export const serviceSettings = {
  HOST: rows.host(),
  PORT: rows.port(8081),
  AUTH_URL: authUrl(),
  AUDIENCE: audience(),
  ...databaseSettings,
};

/** Settings of the commands, which are quiet unless something is wrong. */
export const commandSettings = {
  ...databaseSettings,
  LOG_LEVEL: { ...databaseSettings.LOG_LEVEL, defaultText: "warn" },
};

function authUrl() {
  const description =
    "Issuer: the address callers reach the service at; it stands in every token exactly as " +
    "written here. Without it, the address the service listens on.";
  const schema = rows
    .url(description, { optional: true })
    .schema.refine((url) => !url?.endsWith("/"), {
      error: "an address without a slash at its end",
    });
  return setting(schema, description);
}

function audience() {
  const description =
    "Identifiers of the resource servers that tokens can be asked for, separated by spaces; " +
    "the first holds when a request names none.";
  const schema = rows
    .text(description)
    .schema.transform((text) => text.split(" ").filter((identifier) => identifier !== ""))
    .refine((identifiers) => identifiers.length > 0 && identifiers.every(isResource), {
      error: "absolute URIs without fragment, separated by spaces",
    });
  return setting(schema, description, "urn:svc:uploads");
}

/** RFC 8707 section 2. */
function isResource(identifier: string): boolean {
  return URL.canParse(identifier) && !identifier.includes("#");
}
