/** When a list that could not be read is read again by itself. */
import { isTemporary, isUnauthenticated } from "../api/call-error.ts";

/** The delay before a temporary failure is retried. */
const failedRetryMs = 5000;

/** Undefined if only the reader may try again. */
export function retryDelayMs(error: unknown, isSignedIn: boolean): number | undefined {
  if (error === undefined) return undefined;
  if (isTemporary(error)) return failedRetryMs;
  // The session had ended, and was begun again in another tab.
  return isSignedIn && isUnauthenticated(error) ? 0 : undefined;
}
