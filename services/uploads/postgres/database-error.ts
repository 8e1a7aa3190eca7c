/** What the errors of a database connection mean for the call. */
import { isDatabaseUnavailable, isQueryCancelled } from "@stowage/process";
import { ApiError } from "../model/api-error.ts";

/**
 * Returns an outage as `ApiError`, and any other error unchanged. Only for errors of the driver: a
 * response can fail with the same system errors when the caller has disconnected.
 */
export function databaseError(error: unknown): unknown {
  const isTimeout = isQueryCancelled(error);
  if (!isTimeout && !isDatabaseUnavailable(error)) return error;
  const what = isTimeout ? "the database did not answer in time" : "the database cannot be reached";
  return new ApiError("DATABASE_UNAVAILABLE", `${what}; try again`, { cause: error });
}
