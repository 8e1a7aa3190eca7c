/** Makes the one assertion of a service account, with a key that exists for that alone. */
import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { SignJWT } from "jose";
import { serviceAccountUrn } from "../provider/service-account.ts";

/** A signed assertion, and what there is to verify it with. */
export interface IssuedAssertion {
  assertion: string;
  publicKeyPem: string;
}

/**
 * Signs an assertion (RFC 7523 section 3). Nobody, we included, can sign another one with that key:
 * its private half is not kept. So the assertion outlives every rotation of our signing keys, and
 * whoever reads the database can make none.
 */
export async function issueAssertion(options: {
  serviceAccountId: string;
  /** `jti`. */
  assertionId: string;
  /** The issuer, whom the assertion is for. */
  authUrl: string;
  expiresAt: Date;
}): Promise<IssuedAssertion> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("ec", {
    namedCurve: "P-256",
  });
  const subject = serviceAccountUrn(options.serviceAccountId);
  const assertion = await new SignJWT()
    .setProtectedHeader({ alg: "ES256", typ: "JWT" })
    .setIssuer(subject)
    .setSubject(subject)
    .setAudience(options.authUrl)
    .setJti(options.assertionId)
    .setIssuedAt()
    .setExpirationTime(options.expiresAt)
    .sign(privateKey);
  return {
    assertion,
    publicKeyPem: publicKey.export({ type: "spki", format: "pem" }).toString(),
  };
}
