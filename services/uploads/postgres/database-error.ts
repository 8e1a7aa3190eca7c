/** What the errors of a database connection mean for the call. */
import { isDatabaseUnavailable } from "@stowage/process";
import { ApiError } from "../model/api-error.ts";

// The pool's message if all its connections were in use for too long.
const allInUse = "timeout exceeded when trying to connect";

/**
 * An outage as `ApiError`; any other error as it is. Only for errors of the driver: a response can
 * fail with the same system errors, and then the caller went away.
 */
export function databaseError(error: unknown): unknown {
  if (!isDatabaseUnavailable(error)) return error;
  if (error instanceof Error && error.message === allInUse) {
    return new ApiError("SERVER_BUSY", "too many calls are under way; try again", { cause: error });
  }
  const message = "the database cannot be reached; try again";
  return new ApiError("DATABASE_UNAVAILABLE", message, { cause: error });
}
