/**
 * Hashes generated secrets with HMAC-SHA-256, and compares them in constant time. A fast hash is
 * enough for them: 256 random bits cannot be guessed. The form is `$hmac-sha256$<hash>`.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

const prefix = "$hmac-sha256$";

/** Hashes a secret that a program generated. */
export function keyedHash(secret: string, key: Buffer): string {
  return prefix + createHmac("sha256", key).update(secret).digest("base64url");
}

export function isKeyedHash(hash: string): boolean {
  return hash.startsWith(prefix);
}

/** Whether a secret is the one that was hashed. */
export function matchesKeyedHash(secret: string, hash: string, key: Buffer): boolean {
  const [expected, given] = [Buffer.from(hash), Buffer.from(keyedHash(secret, key))];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
