/** The environment variables that `npm start` sets for each program. */
import { join } from "node:path";
import { dataDirOf } from "../access/local-client.ts";

/** For all programs: quiet by default, except that a wanted access log needs the level `info`. */
export function commonEnvironment({ LOG_LEVEL, ACCESS_LOG }: NodeJS.ProcessEnv) {
  const wantsLines = ACCESS_LOG === "on" || ACCESS_LOG === "sampled";
  return { LOG_LEVEL: LOG_LEVEL || (wantsLines ? "info" : "warn") };
}

/**
 * For the authorisation service. Its ports are called `AUTH_PORT` and `AUTH_METRICS_PORT` here,
 * since `PORT` and `METRICS_PORT` are the uploads service's. By default its encryption key is in
 * the data folder, wherever the database is.
 */
export function authorisationEnvironment(environment: NodeJS.ProcessEnv) {
  const { AUTH_PORT, AUTH_METRICS_PORT, KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_FILE } = environment;
  const file = join(dataDirOf(environment), "key-encryption-key");
  return {
    ...commonEnvironment(environment),
    PORT: AUTH_PORT,
    METRICS_PORT: AUTH_METRICS_PORT,
    KEY_ENCRYPTION_KEY_FILE: KEY_ENCRYPTION_KEY_FILE || (KEY_ENCRYPTION_KEY ? undefined : file),
  };
}

/** What the page's server needs to know of the others. */
interface PageNeighbours {
  readonly authUrl: string;
  /** Where the uploads service listens. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** For the page's server. */
export function webEnvironment(environment: NodeJS.ProcessEnv, neighbours: PageNeighbours) {
  const { WEB_PORT, WEB_METRICS_PORT } = environment;
  const { SESSION_COOKIE, SESSION_ENCRYPTION_KEY, SESSION_ENCRYPTION_KEY_FILE } = environment;
  const file = join(dataDirOf(environment), "session-encryption-key");
  const { authUrl, baseUrl, clientId, clientSecret } = neighbours;
  return {
    ...commonEnvironment(environment),
    HOST: pageHost(environment),
    PORT: WEB_PORT,
    METRICS_PORT: WEB_METRICS_PORT,
    AUTH_URL: authUrl,
    AUDIENCE: audienceOf(environment),
    BASE_URL: baseUrl,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    CLIENT_SECRET_FILE: undefined,
    // Another start on this machine has the same host, and so the same cookies.
    SESSION_COOKIE: SESSION_COOKIE || cookieAt(WEB_PORT),
    SESSION_ENCRYPTION_KEY_FILE:
      SESSION_ENCRYPTION_KEY_FILE || (SESSION_ENCRYPTION_KEY ? undefined : file),
  };
}

/** The name of the page's cookie at a port other than the default. */
function cookieAt(port = ""): string | undefined {
  return /^\d+$/.test(port) ? `__Host-stowage-${port}` : undefined;
}

/** The page's address as far as it is known before the page's server listens. */
export function expectedPageUrl({ HOST, PAGE_URL, WEB_PORT }: NodeJS.ProcessEnv): string {
  if (PAGE_URL) return PAGE_URL.replace(/\/$/, "");
  const host = HOST === "localhost" ? HOST : "127.0.0.1";
  return `http://${HOST === "::1" || HOST === "::" ? "[::1]" : host}:${WEB_PORT || "8082"}`;
}

/**
 * Where the page's server listens. Browsers store its cookie only where the connection is secure or
 * local, so its address is one of this machine, unless PAGE_URL says how browsers reach it from
 * elsewhere. It listens everywhere if told to: a container passes connections of its machine on.
 */
export function pageHost({ HOST, PAGE_URL }: NodeJS.ProcessEnv): string | undefined {
  return PAGE_URL || isHere(HOST) ? HOST : "127.0.0.1";
}

/** Whether browsers elsewhere cannot use the page, although HOST lets them reach the services. */
export function isPageLocalOnly({ HOST, PAGE_URL }: NodeJS.ProcessEnv): boolean {
  return !PAGE_URL && !["", "127.0.0.1", "localhost", "::1"].includes(HOST ?? "");
}

/** Whether the page's server calls itself by an address of this machine if it listens there. */
function isHere(host = ""): boolean {
  return ["", "127.0.0.1", "localhost", "::1", "0.0.0.0", "::"].includes(host);
}

/** The uploads service's own: `AUDIENCE` may be a list, of which it is the first. */
function audienceOf({ AUDIENCE }: NodeJS.ProcessEnv): string | undefined {
  return AUDIENCE?.trim().split(/ +/)[0];
}

/**
 * For the program that keeps the index in step. Nobody needs to know its port: by default the
 * system chooses one.
 */
export function syncEnvironment(environment: NodeJS.ProcessEnv) {
  const { SYNC_PORT, SYNC_METRICS_PORT } = environment;
  return {
    ...commonEnvironment(environment),
    PORT: SYNC_PORT || "0",
    METRICS_PORT: SYNC_METRICS_PORT,
  };
}

/** For the uploads service. */
export function uploadsEnvironment(environment: NodeJS.ProcessEnv, authUrl: string | undefined) {
  const AUDIENCE = audienceOf(environment);
  return { ...commonEnvironment(environment), AUTH_URL: authUrl, AUDIENCE };
}
