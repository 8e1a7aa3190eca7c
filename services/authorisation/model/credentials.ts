/** How people are named where they sign in: a name or an e-mail address, in any case. */

import { randomBytes } from "node:crypto";
import { hashSecret } from "./scrypt-hash.ts";

/** As many characters as the database keeps. */
export const loginNameCharactersMax = 128;

/** A login name as it is stored; undefined for what cannot be one. */
export function normaliseLoginName(text: string): string | undefined {
  const name = text.normalize("NFC").trim().toLowerCase();
  const length = [...name].length;
  const isName = length > 0 && length <= loginNameCharactersMax && !/[\s\p{Cc}\p{Cs}]/u.test(name);
  return isName ? name : undefined;
}

/** Long ones are good ones; nothing else is asked of them (NIST SP 800-63B section 3.1.1). */
export const passwordCharacters = { min: 12, max: 256 };

/** 32 MiB, three times over, and some 200 ms: people choose what can be guessed. */
const passwordCost = { ln: 15, r: 8, p: 3 };

/** A password as it is hashed and compared: however the keyboard wrote its accents. */
export function normalisePassword(text: string): string {
  return text.normalize("NFC");
}

/** Hashes a password for storage. */
export async function hashPassword(password: string): Promise<string> {
  return await hashSecret(normalisePassword(password), passwordCost);
}

/** Throws an Error that says what is wrong, without showing the password. */
export function checkPassword(password: string): void {
  const { min, max } = passwordCharacters;
  const length = [...normalisePassword(password)].length;
  if (length < min || length > max || /\p{Cc}/u.test(password) || !password.isWellFormed()) {
    throw new Error(
      `Cannot use the password: it has ${length} characters, ` +
        `need ${min} to ${max} on one line, without control characters`,
    );
  }
}

/** 256 bits cannot be guessed, whatever the hash costs. */
const generatedSecretBytes = 32;

/** 16 MiB and some 30 ms a comparison: dear for whoever steals the table, bearable for us. */
const clientSecretCost = { ln: 14, r: 8, p: 1 };

/** A new secret: 43 characters of base64url. */
export function generateClientSecret(): string {
  return randomBytes(generatedSecretBytes).toString("base64url");
}

/** Hashes a secret for storage. */
export async function hashClientSecret(secret: string): Promise<string> {
  return await hashSecret(secret, clientSecretCost);
}
