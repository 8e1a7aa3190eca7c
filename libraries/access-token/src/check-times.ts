/** At every request: the token's times, which it is not enough to have looked at once. */
import type { AccessToken } from "./access-token.ts";
import { TokenRefusedError } from "./token-refused-error.ts";

export interface TimesPolicy {
  readonly clockToleranceSeconds: number;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** Throws TokenRefusedError: TOKEN_EXPIRED, TOKEN_NOT_YET_VALID. */
export function checkTimes(token: AccessToken, policy: TimesPolicy): void {
  const { expiresAt, notBefore, issuedAt } = token;
  const nowSeconds = policy.now() / 1000;
  // Asked so that a clock which gives no number refuses every token.
  if (!(expiresAt > nowSeconds - policy.clockToleranceSeconds)) {
    throw new TokenRefusedError("TOKEN_EXPIRED", `exp is ${expiresAt}, now is ${nowSeconds}`);
  }
  const latest = nowSeconds + policy.clockToleranceSeconds;
  if (notBefore > latest) throw notYetValid("nbf", notBefore, nowSeconds);
  if (issuedAt > latest) throw notYetValid("iat", issuedAt, nowSeconds);
}

function notYetValid(name: string, time: number, nowSeconds: number): TokenRefusedError {
  return new TokenRefusedError("TOKEN_NOT_YET_VALID", `${name} is ${time}, now is ${nowSeconds}`);
}
