/** The assertions of service accounts (RFC 7523): their keys and algorithms, and issuing them. */
import { createPublicKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { SignJWT } from "jose";
import { serviceAccountUrn } from "./subjects.ts";

const rsaBitsMin = 2048;

/**
 * The one algorithm of a key (RFC 7518, RFC 8037); undefined if no account may have the key. The
 * header of an assertion never selects the algorithm.
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

/** Reads a public key in PEM. @throws Error if no account may have it */
export function readPublicKey(pem: string): KeyObject {
  // Node also accepts a private key. An account must not give its private key away.
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

interface IssuedAssertion {
  assertion: string;
  publicKeyPem: string;
}

/**
 * Signs the one assertion of an account (RFC 7523 section 3), with a key of its own. The private
 * key is not stored, so nobody can sign another assertion. The assertion outlives all rotations of
 * our signing keys.
 */
export async function issueAssertion(options: {
  serviceAccountId: string;
  /** `jti`. */
  assertionId: string;
  /** The issuer: the audience of the assertion. */
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
