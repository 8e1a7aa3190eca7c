/**
 * All checks of a token, in the order in which they run.
 */
import type { AccessToken } from "./access-token.ts";
import { checkHeader } from "./check-header.ts";
import { findKey } from "./find-key.ts";
import type { KeySet } from "./key-set.ts";
import { parsePayload, parseToken } from "./parse-token.ts";
import { type ClaimsPolicy, readClaims } from "./read-claims.ts";
import { verifySignature } from "./verify-signature.ts";

export interface Policy extends ClaimsPolicy {
  readonly keySet: KeySet;
}

/** Rejects only with TokenRefusedError, whatever the token is. */
export async function validate(token: string, policy: Policy): Promise<AccessToken> {
  const unverified = parseToken(token); // size and shape; trusts nothing
  const keyId = checkHeader(unverified.unverifiedHeader); // before any key is looked at
  const key = await findKey(policy.keySet, keyId);
  verifySignature(unverified, key);
  const claims = parsePayload(unverified.unverifiedPayload); // verified from here on
  return readClaims(claims, policy); // issuer, audience, times, then the rest
}
