/** At every request: that the token has not been revoked. */
import type { Denylist } from "./denylist/denylist.ts";
import { quoteFailure, TokenRefusedError } from "./token-refused-error.ts";
import type { VerifiedToken } from "./verified-token.ts";

/** Throws TokenRefusedError: TOKEN_REVOKED, DENYLIST_UNAVAILABLE. */
export function checkDenylist({ token, keyId }: VerifiedToken, denylist?: Denylist): void {
  try {
    requireNothing(denylist?.check(token, keyId));
  } catch (error) {
    if (error instanceof TokenRefusedError) throw error;
    // A denylist made elsewhere can fail in its own way; whether the token is revoked is not known.
    const detail = `the denylist failed: ${quoteFailure(error)}`;
    throw new TokenRefusedError("DENYLIST_UNAVAILABLE", detail, {
      retryAfterSeconds: 1,
      cause: error,
    });
  }
}

/** An async function fits the type too, and what it comes to would come too late. */
function requireNothing(answer: unknown): void {
  if (answer === undefined) return;
  Promise.resolve(answer).catch(() => undefined);
  throw new Error("check must throw or give nothing, and at once");
}
