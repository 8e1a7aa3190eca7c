/** Tells a database that is out of reach, where trying again may help, from a fault of ours. */

/** SQLSTATE classes and codes that say so: connections lost, refused or too many, a shutdown. */
const sqlStates = /^(08...|57P0[1235]|53300)$/;

/** What the operating system says of a connection that cannot be made or has gone. */
const systemErrors = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
]);

/** What the driver throws without any code. */
const driverMessages =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when)/;

/**
 * Whether an error of a query means that the database cannot be reached, or takes no work now, so
 * that the same query may succeed later; any other error is a fault of ours.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return sqlStates.test(code) || systemErrors.has(code) || driverMessages.test(error.message);
}
