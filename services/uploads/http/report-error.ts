/** Turns what a call threw into the error that the caller gets, and logs the details. */
import { TokenRefusedError } from "@stowage/access-token";
import { JsonFieldError } from "@stowage/api/json/field-violations";
import { errorText, type Logger } from "@stowage/process";
import { ApiError } from "../model/api-error.ts";
import { isOutage } from "../model/error-codes.ts";

/** Outages are logged at most this often: they affect many calls. */
const outageLogIntervalMs = 10_000;

export type ReportError = (
  error: unknown,
  call: { operation: string; signal: AbortSignal },
) => ApiError;

/**
 * Internal errors are logged with their cause, and outages at intervals. Errors of the caller are
 * logged at the debug level only.
 */
export function createErrorReporter(logger: Logger, now = () => performance.now()): ReportError {
  let outageLoggedAtMs = Number.NEGATIVE_INFINITY;
  let outageCount = 0;

  function logOutage(entry: object, error: ApiError): void {
    outageCount += 1;
    if (now() - outageLoggedAtMs < outageLogIntervalMs) return;
    const detail = detailOf(error);
    logger.warn({ ...entry, detail, count: outageCount }, "calls could not be served");
    outageLoggedAtMs = now();
    outageCount = 0;
  }

  return (thrown, { operation, signal }) => {
    const error = apiErrorOf(thrown, signal);
    const entry = { operation, reason: error.reason };
    if (error.reason === "INTERNAL") {
      logger.error({ ...entry, err: error.cause }, "a call failed");
    } else if (isOutage(error.reason)) {
      logOutage(entry, error);
    } else {
      logger.debug({ ...entry, detail: detailOf(error) }, "a call was refused");
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
  if (cause instanceof TokenRefusedError) return cause.detail;
  return cause instanceof Error ? errorText(cause) : message;
}
