/** Makes RSA keys that sign tokens, and their public form in the key set. */
import { createHash, createPublicKey, generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";

/** The algorithm of all tokens. */
export const signingAlgorithm = "RS256";

/** RFC 7518 section 3.3 requires at least 2048. Larger keys only make signing slower. */
const modulusBits = 2048;

export interface KeyPair {
  /** The RFC 7638 thumbprint of the public key. */
  readonly keyId: string;
  /** SPKI. */
  readonly publicKeyPem: string;
  /** PKCS #8. */
  readonly privateKeyDer: Buffer;
}

/** A public key as a member of the key set (RFC 7517). */
export interface PublicJwk {
  readonly kty: "RSA";
  readonly use: "sig";
  readonly alg: typeof signingAlgorithm;
  readonly kid: string;
  readonly e: string;
  readonly n: string;
}

/** Makes a key. This takes some 100 ms of another thread. */
export async function generateSigningKey(): Promise<KeyPair> {
  for (;;) {
    const pair = await generateKey();
    // On a command line, such an ID would look like an option.
    if (!pair.keyId.startsWith("-")) return pair;
  }
}

async function generateKey(): Promise<KeyPair> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: modulusBits,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "der" },
  });
  return {
    keyId: thumbprintOf(createPublicKey(publicKey)),
    publicKeyPem: publicKey,
    privateKeyDer: privateKey,
  };
}

export function publicJwkOf(keyId: string, publicKey: KeyObject): PublicJwk {
  return { kty: "RSA", use: "sig", alg: signingAlgorithm, kid: keyId, ...numbersOf(publicKey) };
}

/** RFC 7638 section 3: the required members, in lexicographic order, without white space. */
function thumbprintOf(publicKey: KeyObject): string {
  const { e, n } = numbersOf(publicKey);
  return createHash("sha256")
    .update(JSON.stringify({ e, kty: "RSA", n }))
    .digest("base64url");
}

function numbersOf(publicKey: KeyObject): { e: string; n: string } {
  const { e = "", n = "" } = publicKey.export({ format: "jwk" });
  return { e, n };
}
