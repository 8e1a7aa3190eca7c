/** Verifies the signature and the claims of an assertion for an account that was found. */
import { createPublicKey, hash } from "node:crypto";
import { type JWTPayload, jwtVerify } from "jose";
import { assertionAlgorithmOf } from "../model/assertions.ts";
import { serviceAccountUrn } from "../model/subjects.ts";
import type { StoredServiceAccount } from "../store/service-accounts.ts";

/** An account that signs its own assertions signs one for each request. Clocks may differ. */
export const ownLifetimeSecondsMax = 300;
export const clockToleranceSeconds = 30;

/** There are a few hundred accounts at most. The claims of an assertion take less than 1 KiB. */
const rememberedMax = 1000;

/** Returns the claims of an assertion. Rejects with an error of `jose` if it is not valid. */
type VerifyAssertion = (assertion: string, account: StoredServiceAccount) => Promise<JWTPayload>;

/**
 * Makes a {@link VerifyAssertion}. An assertion that we have issued is shown again and again, for
 * months, so it remembers the ones that were valid. They stay valid until they expire: of what is
 * checked, only the time changes.
 *
 * @param audience an assertion must name one of these
 */
export function assertionVerifier(audience: string[]): VerifyAssertion {
  /** Claims by a hash of the assertion, so that memory holds no assertion. */
  const remembered = new Map<string, JWTPayload>();

  return async (assertion, account) => {
    if (account.assertionId === null) return await verify(assertion, account, audience);
    const id = hash("sha256", `${account.publicKeyPem}${assertion}`);
    const known = remembered.get(id);
    if (known?.exp !== undefined && known.exp > Date.now() / 1000) return known;
    const claims = await verify(assertion, account, audience);
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(id, claims);
    return claims;
  };
}

async function verify(
  assertion: string,
  { serviceAccountId, publicKeyPem, assertionId }: StoredServiceAccount,
  audience: string[],
): Promise<JWTPayload> {
  const key = createPublicKey(publicKeyPem);
  const algorithm = assertionAlgorithmOf(key);
  if (algorithm === undefined) throw new Error(`Cannot use the key of ${serviceAccountId}`);
  const subject = serviceAccountUrn(serviceAccountId);
  const { payload } = await jwtVerify(assertion, key, {
    algorithms: [algorithm],
    issuer: subject,
    subject,
    audience,
    requiredClaims: ["exp", "jti"],
    // Our own clock dated the assertions that we issued.
    clockTolerance: assertionId === null ? clockToleranceSeconds : 0,
    ...(assertionId === null && { maxTokenAge: ownLifetimeSecondsMax }),
  });
  return payload;
}
