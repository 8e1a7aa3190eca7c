import { Code, ConnectError } from "@connectrpc/connect";
import { TokenRefusedError } from "@stowage/access-token";
import { JsonFieldError } from "@stowage/api/json/field-violations";
import { ApiError } from "../model/api-error.ts";

/**
 * The refusal that an error leaves the service as. What is not a refusal of ours becomes INTERNAL,
 * with nothing of the error in the message; the error itself stays in `cause`, for the log.
 *
 * @param signal the call's: once it has aborted, its reason is why the call failed.
 */
export function refusalOf(error: unknown, signal: AbortSignal): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TokenRefusedError) {
    return new ApiError(error.reason, error.message, { cause: error });
  }
  if (error instanceof JsonFieldError) {
    return new ApiError("FIELD_INVALID", error.message, { violations: error.violations });
  }
  if (signal.aborted) return abortRefusal(signal.reason);
  return new ApiError("INTERNAL", "internal error", { cause: error });
}

function abortRefusal(reason: unknown): ApiError {
  if (reason instanceof ConnectError && reason.code === Code.DeadlineExceeded) {
    const message = "the time of the request ran out; give it more, or ask for less";
    return new ApiError("DEADLINE_EXCEEDED", message, { cause: reason });
  }
  return new ApiError("CANCELLED", "the caller went away", { cause: reason });
}
