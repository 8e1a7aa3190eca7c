/** At every request: that the token has not been revoked. */
import type { Denylist } from "./denylist/denylist.ts";
import { TokenRefusedError } from "./token-refused-error.ts";
import type { VerifiedToken } from "./verified-token.ts";

/** Throws TokenRefusedError: TOKEN_REVOKED, DENYLIST_UNAVAILABLE. */
export function checkDenylist({ token, keyId }: VerifiedToken, denylist?: Denylist): void {
  try {
    denylist?.check(token, keyId);
  } catch (error) {
    if (error instanceof TokenRefusedError) throw error;
    // A denylist made elsewhere can fail in its own way; whether the token is revoked is not known.
    throw new TokenRefusedError("DENYLIST_UNAVAILABLE", `the denylist failed: ${String(error)}`, {
      retryAfterSeconds: 1,
      cause: error,
    });
  }
}
