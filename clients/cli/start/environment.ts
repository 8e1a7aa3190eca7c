/** The environment of each program: this process's own, but for what both services cannot share. */

/** Of all programs: quiet unless asked. */
export function commonEnvironment(environment: NodeJS.ProcessEnv) {
  return { LOG_LEVEL: environment.LOG_LEVEL || "warn" };
}

/** Of the authorisation service: `PORT` is the other's, its own is called `AUTH_PORT` here. */
export function authorisationEnvironment(environment: NodeJS.ProcessEnv) {
  return { ...commonEnvironment(environment), PORT: environment.AUTH_PORT };
}

/** Of the uploads service, which accepts what the authorisation service issues. */
export function uploadsEnvironment(environment: NodeJS.ProcessEnv, authUrl: string | undefined) {
  return { ...commonEnvironment(environment), AUTH_URL: authUrl };
}
