/**
 * All checks of a token, in the order in which they run.
 */
import { KeyObject } from "node:crypto";
import type { AccessToken } from "./access-token.ts";
import { checkDenylist } from "./check-denylist.ts";
import { checkTimes, type TimesPolicy } from "./check-times.ts";
import type { Denylist } from "./denylist/denylist.ts";
import { findKey, isStillKnown } from "./find-key.ts";
import type { KeySet } from "./key-set.ts";
import type { KnownHeaders } from "./known-headers.ts";
import { parsePayload, parseToken } from "./parse-token.ts";
import { type ClaimsPolicy, readClaims } from "./read-claims.ts";
import type { VerifiedToken } from "./verified-token.ts";
import type { VerifiedTokenCache } from "./verified-token-cache.ts";
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
  checkTimes(verified.token, policy); // these two at every request
  checkDenylist(verified, policy.denylist);
  if (recalled === undefined) policy.cache?.set(token, verified);
  return verified.token;
}

/** What stays true of a token as long as its key does. */
async function verify(token: string, policy: Policy): Promise<VerifiedToken> {
  const unverified = parseToken(token); // size and shape; trusts nothing
  const keyId = policy.headers.check(unverified.unverifiedHeader); // before any key is looked at
  const found = findKey(policy.keySet, keyId);
  const key = found instanceof KeyObject ? found : await found;
  verifySignature(unverified, key);
  policy.headers.keep(unverified.unverifiedHeader, keyId);
  const claims = parsePayload(unverified.unverifiedPayload); // verified from here on
  return { token: readClaims(claims, policy), keyId, key }; // issuer, audience, then the rest
}

function recall(token: string, { cache, keySet }: Policy): VerifiedToken | undefined {
  const verified = cache?.find(token);
  if (verified === undefined || isStillKnown(keySet, verified)) return verified;
  cache?.delete(token);
  return undefined;
}
