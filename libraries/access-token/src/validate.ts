/** All checks of a token, in the order in which they run. */
import { KeyObject } from "node:crypto";
import type { AccessToken, VerifiedToken } from "./access-token.ts";
import { type ClaimsPolicy, readClaims } from "./claims.ts";
import type { Denylist } from "./denylist/denylist.ts";
import { findKey, hasSameKey, type KeySet } from "./key-set/key-set.ts";
import { parsePayload, parseToken } from "./parse-token.ts";
import { quoteFailure, TokenRefusedError } from "./token-refused-error.ts";
import type { KnownHeaders, VerifiedTokenCache } from "./verified-token-cache.ts";
import { verifySignature } from "./verify-signature.ts";

export interface Policy extends ClaimsPolicy, TimesPolicy {
  readonly keySet: KeySet;
  readonly headers: KnownHeaders;
  readonly cache: VerifiedTokenCache | undefined;
  readonly denylist: Denylist | undefined;
}

/** Rejects only with TokenRefusedError, whatever the token is. */
export async function validate(token: string, policy: Policy): Promise<AccessToken> {
  const recalled = recall(token, policy);
  const verified = recalled ?? (await verify(token, policy));
  checkTimes(verified.token, policy); // these two run for every request
  checkDenylist(verified, policy.denylist);
  if (recalled === undefined) policy.cache?.set(token, verified);
  return verified.token;
}

/** The checks whose results stay valid as long as the key does, so that they can be cached. */
async function verify(token: string, policy: Policy): Promise<VerifiedToken> {
  const unverified = parseToken(token); // size and shape; trusts nothing
  const keyId = policy.headers.check(unverified.unverifiedHeader); // before any key is used
  const found = findKey(policy.keySet, keyId);
  const key = found instanceof KeyObject ? found : await found;
  verifySignature(unverified, key);
  policy.headers.keep(unverified.unverifiedHeader, keyId);
  const claims = parsePayload(unverified.unverifiedPayload); // verified from here on
  return { token: readClaims(claims, policy), keyId, key }; // issuer, audience, then the rest
}

function recall(token: string, { cache, keySet }: Policy): VerifiedToken | undefined {
  const verified = cache?.find(token);
  if (verified === undefined || hasSameKey(keySet, verified)) return verified;
  cache?.delete(token);
  return undefined;
}

interface TimesPolicy {
  readonly clockToleranceSeconds: number;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** Throws TokenRefusedError: TOKEN_EXPIRED, TOKEN_NOT_YET_VALID. */
function checkTimes(token: AccessToken, policy: TimesPolicy): void {
  const { expiresAt, notBefore, issuedAt } = token;
  const nowSeconds = policy.now() / 1000;
  // Written so that a clock that returns NaN refuses every token.
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

/** Throws TokenRefusedError: TOKEN_REVOKED, DENYLIST_UNAVAILABLE. */
function checkDenylist({ token, keyId }: VerifiedToken, denylist?: Denylist): void {
  try {
    requireSynchronous(denylist?.check(token, keyId));
  } catch (error) {
    if (error instanceof TokenRefusedError) throw error;
    // A custom denylist may throw any error. Then it is unknown whether the token is revoked.
    const detail = `the denylist failed: ${quoteFailure(error)}`;
    throw new TokenRefusedError("DENYLIST_UNAVAILABLE", detail, {
      retryAfterSeconds: 1,
      cause: error,
    });
  }
}

/** The type of `check` also admits async functions, whose result would come too late. */
function requireSynchronous(answer: unknown): void {
  if (answer === undefined) return;
  Promise.resolve(answer).catch(() => undefined);
  throw new Error("check must throw or return nothing, synchronously");
}
