/** What the errors of a database connection mean for the call. */
import { isDatabaseUnavailable } from "@stowage/process";
import { ApiError } from "../model/api-error.ts";

/** SQLSTATE of a statement that was cancelled, here by its `statement_timeout`. */
const queryCancelled = "57014";

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/**
 * Returns an outage as `ApiError`, and any other error unchanged. Only for errors of the driver: a
 * response can fail with the same system errors when the caller has disconnected.
 */
export function databaseError(error: unknown): unknown {
  if (codeOf(error) === queryCancelled) {
    const message = "the database did not answer in time; try again";
    return new ApiError("DATABASE_UNAVAILABLE", message, { cause: error });
  }
  if (!isDatabaseUnavailable(error)) return error;
  const message = "the database cannot be reached; try again";
  return new ApiError("DATABASE_UNAVAILABLE", message, { cause: error });
}
