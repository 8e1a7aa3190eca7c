import { TokenRefusedError } from "@stowage/access-token";
import { errorText, type Logger } from "@stowage/process";
import type { ApiError } from "../model/api-error.ts";
import { refusalOf } from "./api-error-of.ts";

/** An outage hits every call; its log line comes at most this often. */
const outageLogIntervalMs = 10_000;

/**
 * Turns anything thrown in a call into the refusal that the caller is told, and logs what it is not
 * told: an internal error with its cause, an outage now and then. Refusals are the callers' affair.
 */
export function createRefuser(logger: Logger, now = () => performance.now()) {
  let outageLoggedAtMs = Number.NEGATIVE_INFINITY;
  let outageCount = 0;

  function logOutage(entry: object, refusal: ApiError): void {
    outageCount += 1;
    if (now() - outageLoggedAtMs < outageLogIntervalMs) return;
    const detail = detailOf(refusal);
    logger.warn({ ...entry, detail, count: outageCount }, "calls could not be served");
    outageLoggedAtMs = now();
    outageCount = 0;
  }

  return (error: unknown, call: { operation: string; signal: AbortSignal }): ApiError => {
    const refusal = refusalOf(error, call.signal);
    const entry = { operation: call.operation, reason: refusal.reason };
    switch (refusal.reason) {
      case "INTERNAL":
        logger.error({ ...entry, err: refusal.cause }, "a call failed");
        break;
      case "DATABASE_UNAVAILABLE":
      case "DENYLIST_UNAVAILABLE":
      case "KEY_SET_UNAVAILABLE":
      case "SERVER_BUSY":
        logOutage(entry, refusal);
        break;
      default:
        logger.debug({ ...entry, detail: detailOf(refusal) }, "a call was refused");
    }
    return refusal;
  };
}

// What is wrong with a token, or with the database, is said to the log alone.
function detailOf({ cause, message }: ApiError): string {
  if (cause instanceof TokenRefusedError) return cause.detail;
  return cause instanceof Error ? errorText(cause) : message;
}
