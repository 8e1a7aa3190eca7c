/** All checks of a token, in the order in which they run, numbered as in the README. */
import { KeyObject } from "node:crypto";
import type { AccessToken, VerifiedToken } from "./access-token.ts";
import { type ClaimsPolicy, readClaims } from "./claims.ts";
import type { Denylist } from "./denylist/denylist.ts";
import { findKey, hasSameKey, type KeySet } from "./key-set/key-set.ts";
import { headerTextsMax } from "./limits.ts";
import { checkHeader, parsePayload, parseToken } from "./parse-token.ts";
import { quoteFailure, TokenRefusedError } from "./token-refused-error.ts";
import { ownCopy, type VerifiedTokenCache } from "./verified-token-cache.ts";
import { verifySignature } from "./verify-signature.ts";

export interface Policy extends ClaimsPolicy, TimesPolicy {
  readonly keySet: KeySet;
  /**
   * The key IDs of headers of verified tokens, by their text. An issuer's tokens have one header
   * text for each key, and parsing it takes as long as all other checks of the form together.
   */
  readonly keyIds: Map<string, string>;
  readonly cache: VerifiedTokenCache | undefined;
  readonly denylist: Denylist | undefined;
}

/** Rejects only with TokenRefusedError, whatever the token is. */
export async function validate(token: string, policy: Policy): Promise<AccessToken> {
  const cached = getCached(token, policy);
  const verified = cached ?? (await verify(token, policy)); // steps 1 to 5
  checkTimes(verified.token, policy); // 6, for every request
  checkDenylist(verified, policy.denylist); // 7, for every request
  if (cached === undefined) policy.cache?.set(token, verified);
  return verified.token;
}

/** The checks whose results stay valid as long as the key does, so that they can be cached. */
async function verify(token: string, policy: Policy): Promise<VerifiedToken> {
  const unverified = parseToken(token); // 1: size and shape
  const { unverifiedHeader } = unverified;
  const knownKeyId = policy.keyIds.get(unverifiedHeader);
  const keyId = knownKeyId ?? checkHeader(unverifiedHeader); // 2, before any key is used
  const found = findKey(policy.keySet, keyId); // 3
  const key = found instanceof KeyObject ? found : await found;
  verifySignature(unverified, key); // 4; the token is verified from here on
  if (knownKeyId === undefined) {
    if (policy.keyIds.size >= headerTextsMax) policy.keyIds.clear();
    policy.keyIds.set(ownCopy(unverifiedHeader), keyId);
  }
  const claims = parsePayload(unverified.unverifiedPayload);
  return { token: readClaims(claims, policy), keyId, key }; // 5: issuer, audience, then the rest
}

function getCached(token: string, { cache, keySet }: Policy): VerifiedToken | undefined {
  const verified = cache?.get(token);
  if (verified === undefined || hasSameKey(keySet, verified)) return verified;
  cache?.delete(token);
  return undefined;
}

interface TimesPolicy {
  readonly clockToleranceSeconds: number;
  readonly expiryToleranceSeconds: number;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** Throws TokenRefusedError: TOKEN_EXPIRED, TOKEN_NOT_YET_VALID. */
function checkTimes(token: AccessToken, policy: TimesPolicy): void {
  const { expiresAt, notBefore, issuedAt } = token;
  const nowSeconds = policy.now() / 1000;
  // Written so that a clock that returns NaN refuses every token.
  if (!(expiresAt > nowSeconds - policy.expiryToleranceSeconds)) {
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
