import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";

export interface SigningKey {
  readonly keyId: string;
  readonly privateKey: KeyObject;
  /** The public half as an issuer publishes it. */
  readonly jwk: { kty: "RSA"; kid: string; use: "sig"; alg: "RS256"; n: string; e: string };
}

export function makeSigningKey(keyId: string, modulusLength = 2048): SigningKey {
  // Converts by PEM: exporting a new key as a JWK can hang Node 20.
  const pem = generateKeyPairSync("rsa", {
    modulusLength,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const { n = "", e = "" } = createPublicKey(pem.publicKey).export({ format: "jwk" });
  return {
    keyId,
    privateKey: createPrivateKey(pem.privateKey),
    jwk: { kty: "RSA", kid: keyId, use: "sig", alg: "RS256", n, e },
  };
}
