/** The keys that sign assertions: which there may be, and what each signs with. */
import { createPublicKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { SignJWT } from "jose";
import { serviceAccountUrn } from "./subjects.ts";

const rsaBitsMin = 2048;

/**
 * Tells the one algorithm (RFC 7518, RFC 8037) that a key is used with; undefined for a key that no
 * account may have. Nothing is ever chosen by what an assertion says of itself.
 */
export function assertionAlgorithmOf(publicKey: KeyObject): string | undefined {
  const { asymmetricKeyType, asymmetricKeyDetails } = publicKey;
  if (asymmetricKeyType === "ed25519") return "EdDSA";
  if (asymmetricKeyType === "ec") {
    return asymmetricKeyDetails?.namedCurve === "prime256v1" ? "ES256" : undefined;
  }
  const isStrong = (asymmetricKeyDetails?.modulusLength ?? 0) >= rsaBitsMin;
  return asymmetricKeyType === "rsa" && isStrong ? "RS256" : undefined;
}

/**
 * Reads a public key as PEM.
 *
 * @throws Error for what is no public key, or none that an account may have.
 */
export function readPublicKey(pem: string): KeyObject {
  // Node would take a private key too, and use its public half: then it was given away.
  if (!/^\s*-----BEGIN PUBLIC KEY-----/.test(pem)) throw new Error(need);
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (cause) {
    throw new Error(need, { cause });
  }
  if (assertionAlgorithmOf(key) === undefined) throw new Error(need);
  return key;
}

const need = `need a public key as PEM: Ed25519, P-256, or RSA of ${rsaBitsMin} bits or more`;

/** A signed assertion, and what there is to verify it with. */
interface IssuedAssertion {
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
