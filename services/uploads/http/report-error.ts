/** Turns what a call threw into the error that the caller gets, and logs the details. */
import { TokenRefusedError } from "@stowage/access-token";
import { JsonFieldError } from "@stowage/api/json/field-violations";
import { errorText, type Logger, OutageLines } from "@stowage/process";
import { ApiError } from "../model/api-error.ts";
import { isOutage } from "../model/error-codes.ts";

export type ReportError = (
  error: unknown,
  call: { operation: string; signal: AbortSignal },
) => ApiError;

/**
 * Internal errors are logged with their cause, and outages in few lines. Errors of the caller are
 * logged at the debug level only.
 */
export function createErrorReporter(logger: Logger): ReportError {
  const outages = new OutageLines(logger, {
    failing: "calls could not be served",
    over: "no call has failed in the last 10 s",
  });

  return (thrown, { operation, signal }) => {
    const error = apiErrorOf(thrown, signal);
    const { reason } = error;
    const detail = detailOf(error);
    if (reason === "INTERNAL") {
      logger.error({ operation, reason, err: error.cause }, "a call failed");
    } else if (isOutage(reason)) {
      outages.failed(`${reason} ${rootCauseOf(error)}`, { operation, reason, detail });
    } else {
      logger.debug({ operation, reason, detail }, "a call was refused");
    }
    return error;
  };
}

/**
 * An error that is none of ours becomes INTERNAL, without its text in the message. It stays in
 * `cause`, for the log. When the signal has aborted, its reason is why the call failed. But another
 * `ApiError` tells the caller more than that the time is up.
 */
function apiErrorOf(error: unknown, signal: AbortSignal): ApiError {
  const abortedBy: ApiError | undefined = signal.reason;
  if (abortedBy !== undefined && abortedBy.reason !== "DEADLINE_EXCEEDED") return abortedBy;
  if (error instanceof ApiError) return error;
  if (error instanceof TokenRefusedError) {
    return new ApiError(error.reason, error.message, { cause: error });
  }
  if (error instanceof JsonFieldError) {
    return new ApiError("FIELD_INVALID", error.message, { violations: error.violations });
  }
  return abortedBy ?? new ApiError("INTERNAL", "internal error", { cause: error });
}

/** Only the log says what exactly is wrong with a token or the database. */
function detailOf({ cause, message }: ApiError): string {
  if (cause instanceof TokenRefusedError) {
    return errorText(new Error(cause.detail, { cause: cause.cause }));
  }
  return cause instanceof Error ? errorText(cause) : message;
}

/** What is the same in each call that fails for one reason. Texts may have paths and numbers. */
function rootCauseOf({ cause }: ApiError): unknown {
  let first = cause;
  for (let depth = 0; depth < 5 && first instanceof Error && first.cause; depth++) {
    first = first.cause;
  }
  if (!(first instanceof Error)) return "";
  return "code" in first ? first.code : first.name;
}
