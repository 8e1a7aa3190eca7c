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

/**
 * For the uploads service. `AUDIENCE` may be a list for the authorisation service; its first entry,
 * the default audience of tokens, is the uploads service.
 */
export function uploadsEnvironment(environment: NodeJS.ProcessEnv, authUrl: string | undefined) {
  const audience = environment.AUDIENCE?.trim().split(/ +/)[0];
  return { ...commonEnvironment(environment), AUTH_URL: authUrl, AUDIENCE: audience };
}
