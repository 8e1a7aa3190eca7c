/** The environment variables that `npm start` sets for each program. */
import { join } from "node:path";
import { dataDirOf } from "../access/local-client.ts";

/** For all programs: quiet by default. */
export function commonEnvironment(environment: NodeJS.ProcessEnv) {
  return { LOG_LEVEL: environment.LOG_LEVEL || "warn" };
}

/**
 * For the authorisation service. Its port is called `AUTH_PORT` here, since `PORT` is the uploads
 * service's. By default its encryption key is in the data folder, wherever the database is.
 */
export function authorisationEnvironment(environment: NodeJS.ProcessEnv) {
  const { AUTH_PORT, KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_FILE } = environment;
  const file = join(dataDirOf(environment), "key-encryption-key");
  return {
    ...commonEnvironment(environment),
    PORT: AUTH_PORT,
    KEY_ENCRYPTION_KEY_FILE: KEY_ENCRYPTION_KEY_FILE || (KEY_ENCRYPTION_KEY ? undefined : file),
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
