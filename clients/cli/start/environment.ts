/** The environment of each program: this process's own, but for what both services cannot share. */
import { join } from "node:path";
import { dataDirOf } from "../access/local-client.ts";

/** Of all programs: quiet unless asked. */
export function commonEnvironment(environment: NodeJS.ProcessEnv) {
  return { LOG_LEVEL: environment.LOG_LEVEL || "warn" };
}

/**
 * Of the authorisation service: `PORT` is the other's, its own is called `AUTH_PORT` here. The key
 * that it encrypts with lies in the data folder, wherever the database is, unless another is set.
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
 * Of the uploads service, which accepts what the authorisation service issues. `AUDIENCE` may be a
 * list for that one; the uploads service is the first in it, which tokens are for unless asked.
 */
export function uploadsEnvironment(environment: NodeJS.ProcessEnv, authUrl: string | undefined) {
  const audience = environment.AUDIENCE?.trim().split(/ +/)[0];
  return { ...commonEnvironment(environment), AUTH_URL: authUrl, AUDIENCE: audience };
}
