import { Code, ConnectError } from "@connectrpc/connect";
import { TokenRefusedError } from "@stowage/access-token";
import { JsonFieldError } from "@stowage/api/json/json-field-error";
import { type Reason, Refusal } from "../domain/refusal.ts";

/**
 * The refusal that an error leaves the service as. What is not a refusal of ours becomes INTERNAL,
 * with nothing of the error in the message; the error itself stays in `cause`, for the log.
 */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof TokenRefusedError) {
    return new Refusal(error.reason, error.message, { cause: error });
  }
  if (error instanceof JsonFieldError) {
    return new Refusal("FIELD_INVALID", error.message, { violations: error.violations });
  }
  // The framework aborts a call, and refuses a body over the limit, with errors of its own.
  if (error instanceof ConnectError) {
    const known = frameworkRefusals.get(error.code);
    if (known !== undefined) return new Refusal(known.reason, known.message, { cause: error });
  }
  return new Refusal("INTERNAL", "internal error", { cause: error });
}

const frameworkRefusals = new Map<Code, { reason: Reason; message: string }>([
  [Code.Aborted, { reason: "CANCELLED", message: "the caller went away" }],
  [Code.Canceled, { reason: "CANCELLED", message: "the caller went away" }],
  [
    Code.DeadlineExceeded,
    { reason: "DEADLINE_EXCEEDED", message: "the time of the request ran out; give it more time" },
  ],
]);
