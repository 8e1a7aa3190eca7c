/** RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 section 3.3). The header has no influence. */
import { constants, createVerify, KeyObject } from "node:crypto";
import { modulusBitsMax, modulusBitsMin, publicExponentMax } from "./limits.ts";
import { TokenRefusedError } from "./token-refused-error.ts";

/** Throws TokenRefusedError: SIGNATURE_INVALID. */
export function verifySignature(
  { unverifiedText, unverifiedSignature }: { unverifiedText: string; unverifiedSignature: Buffer },
  key: KeyObject,
): void {
  // A custom key set may return any key.
  if (!usableKeys.has(key)) {
    if (!isUsableKey(key)) throw invalid("the key is not an RSA key fit for RS256");
    usableKeys.add(key);
  }
  // Some 5 % faster than the function `verify`, which copies the text first.
  const verified = createVerify("RSA-SHA256")
    .update(unverifiedText, "latin1")
    .verify({ key, padding: constants.RSA_PKCS1_PADDING }, unverifiedSignature);
  if (!verified) throw invalid("the signature does not verify");
}

/** Keys are immutable, so each is checked once. */
const usableKeys = new WeakSet<KeyObject>();

/** Whether a key is a public RSA key, strong enough for RS256 and cheap enough for verification. */
export function isUsableKey(key: KeyObject): boolean {
  // A key set in plain JavaScript may return any value.
  if (!(key instanceof KeyObject)) return false;
  if (key.type !== "public" || key.asymmetricKeyType !== "rsa") return false;
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (bits < modulusBitsMin || bits > modulusBitsMax) return false;
  // Under the exponent 1 every padded text is its own signature.
  return exponent >= 3n && exponent % 2n === 1n && exponent < publicExponentMax;
}

function invalid(detail: string): TokenRefusedError {
  return new TokenRefusedError("SIGNATURE_INVALID", detail);
}
