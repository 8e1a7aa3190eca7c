/** For tests of the client of stores that need no store. */

/** Nothing listens there. */
export const nowhere = "http://127.0.0.1:1";

/** Requests are signed with them, and nobody looks at the signature. */
export function useCredentials(): void {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" });
}
