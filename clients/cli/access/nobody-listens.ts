/** What to say if nothing listens at the address of a service. */

const advice =
  "nothing listens there; start the services with npm start, or name others with --base-url and " +
  "--auth-url";

/** The error, or what people can do if it is a connection that was refused. */
export function withAdvice(error: unknown): unknown {
  return isRefusedConnection(error) ? new Error(advice) : error;
}

function isRefusedConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, cause } = error as NodeJS.ErrnoException;
  // A host name may have several addresses.
  const causes = error instanceof AggregateError ? error.errors : [cause];
  return code === "ECONNREFUSED" || causes.some(isRefusedConnection);
}
