import type { HandlerContext } from "@connectrpc/connect";
import { TokenRefusedError } from "@stowage/access-token";
import type { Logger } from "@stowage/process";
import type { Refusal } from "../domain/refusal.ts";
import { refusalOf } from "../rpc/refusal-of.ts";

/**
 * Turns anything thrown in a call into the refusal that the caller is told, and logs what it is not
 * told: an internal error with its cause, an outage as a warning. Refusals are the callers' affair.
 */
export function createRefuser(logger: Logger) {
  return (error: unknown, { method }: HandlerContext): Refusal => {
    const refusal = refusalOf(error);
    const entry = { method: method.name, reason: refusal.reason };
    switch (refusal.reason) {
      case "INTERNAL":
        logger.error({ ...entry, err: refusal.cause }, "a call failed");
        break;
      case "DATABASE_UNAVAILABLE":
      case "KEY_SET_UNAVAILABLE":
        logger.warn({ ...entry, err: refusal.cause }, "a call could not be served");
        break;
      default:
        logger.debug({ ...entry, detail: detailOf(refusal) }, "a call was refused");
    }
    return refusal;
  };
}

// What is wrong with a token is said to the log alone.
function detailOf({ cause, message }: Refusal): string {
  return cause instanceof TokenRefusedError ? cause.detail : message;
}
