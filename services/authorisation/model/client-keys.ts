/** The public keys with which clients authenticate (`private_key_jwt`, RFC 7523 section 2.2). */
import { createPublicKey, type KeyObject } from "node:crypto";

const rsaBitsMin = 2048;

/** The algorithms, as the metadata names them. */
export const clientKeyAlgorithms = ["EdDSA", "ES256", "RS256"] as const;

/** The one algorithm of a key (RFC 7518, RFC 8037); undefined if no client may have the key. */
function algorithmOf(publicKey: KeyObject): (typeof clientKeyAlgorithms)[number] | undefined {
  const { asymmetricKeyType, asymmetricKeyDetails } = publicKey;
  if (asymmetricKeyType === "ed25519") return "EdDSA";
  if (asymmetricKeyType === "ec") {
    return asymmetricKeyDetails?.namedCurve === "prime256v1" ? "ES256" : undefined;
  }
  const isStrong = (asymmetricKeyDetails?.modulusLength ?? 0) >= rsaBitsMin;
  return asymmetricKeyType === "rsa" && isStrong ? "RS256" : undefined;
}

/** Reads a public key in PEM. @throws Error if no client may have it */
export function readPublicKey(pem: string): KeyObject {
  // Node also accepts a private key. A client must not give its private key away.
  if (!/^\s*-----BEGIN PUBLIC KEY-----/.test(pem)) throw new Error(need);
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (cause) {
    throw new Error(need, { cause });
  }
  if (algorithmOf(key) === undefined) throw new Error(need);
  return key;
}

const need = `need a public key as PEM: Ed25519, P-256, or RSA of ${rsaBitsMin} bits or more`;

/** A stored key as a JWK (RFC 7517). */
export function clientJwk(publicKeyPem: string) {
  const key = createPublicKey(publicKeyPem);
  return { ...key.export({ format: "jwk" }), alg: algorithmOf(key), use: "sig" };
}
