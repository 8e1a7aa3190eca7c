/** The environment of each program: this process's own, but for what both services cannot share. */

/** Of all programs: quiet unless asked. */
export function commonEnvironment(environment: NodeJS.ProcessEnv) {
  return { LOG_LEVEL: environment.LOG_LEVEL || "warn" };
}

/** Of the authorisation service: `PORT` is the other's, its own is called `AUTH_PORT` here. */
export function authorisationEnvironment(environment: NodeJS.ProcessEnv) {
  return { ...commonEnvironment(environment), PORT: environment.AUTH_PORT };
}

/**
 * Of the uploads service, which accepts what the authorisation service issues. `AUDIENCE` may be a
 * list for that one; the uploads service is the first in it, which tokens are for unless asked.
 */
export function uploadsEnvironment(environment: NodeJS.ProcessEnv, authUrl: string | undefined) {
  const audience = environment.AUDIENCE?.trim().split(/ +/)[0];
  return { ...commonEnvironment(environment), AUTH_URL: authUrl, AUDIENCE: audience };
}
