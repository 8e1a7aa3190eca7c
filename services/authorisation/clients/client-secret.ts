/** Client secrets: made here, stored only as hashes. */
import { randomBytes } from "node:crypto";
import { hashSecret } from "../secrets/scrypt-hash.ts";

/** 256 bits cannot be guessed, whatever the hash costs. */
const generatedSecretBytes = 32;

/** 16 MiB and some 30 ms a comparison: dear for whoever steals the table, bearable for us. */
const cost = { ln: 14, r: 8, p: 1 };

/** A new secret: 43 characters of base64url. */
export function generateClientSecret(): string {
  return randomBytes(generatedSecretBytes).toString("base64url");
}

/** Hashes a secret for storage. */
export async function hashClientSecret(secret: string): Promise<string> {
  return await hashSecret(secret, cost);
}
