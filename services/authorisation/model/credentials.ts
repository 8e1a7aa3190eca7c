/** Login names, passwords and client secrets: their form, and how they are hashed. */
import { randomBytes } from "node:crypto";
import { hashSecret } from "./scrypt-hash.ts";

/** The database stores as many. */
export const loginNameCharactersMax = 128;

/** A login name, which may be an e-mail address, as it is stored; undefined if it is invalid. */
export function normaliseLoginName(text: string): string | undefined {
  const name = text.normalize("NFC").trim().toLowerCase();
  const length = [...name].length;
  const isName = length > 0 && length <= loginNameCharactersMax && !/[\s\p{Cc}\p{Cs}]/u.test(name);
  return isName ? name : undefined;
}

/** Length is the only requirement (NIST SP 800-63B section 3.1.1). */
const passwordCharacters = { min: 12, max: 256 };

/** 32 MiB, three times, and some 200 ms: people choose passwords that can be guessed. */
const passwordCost = { ln: 15, r: 8, p: 3 };

/** A password as it is hashed and compared. Keyboards write accents in different ways. */
export function normalisePassword(text: string): string {
  return text.normalize("NFC");
}

/** Hashes a password for storage. */
export async function hashPassword(password: string): Promise<string> {
  return await hashSecret(normalisePassword(password), passwordCost);
}

/** @throws Error that says what is wrong with the password, and does not show it */
export function checkPassword(password: string): void {
  if (/[\r\n]/.test(password)) {
    throw new Error("Cannot use the password: it has more than one line");
  }
  const { min, max } = passwordCharacters;
  const length = [...normalisePassword(password)].length;
  if (length < min || length > max || /\p{Cc}/u.test(password) || !password.isWellFormed()) {
    throw new Error(
      `Cannot use the password: it has ${length} characters, ` +
        `need ${min} to ${max} on one line, without control characters`,
    );
  }
}

/** 256 bits cannot be guessed, however cheap the hash is. */
const generatedSecretBytes = 32;

/** 16 MiB and some 30 ms, spent once in each process, and for each wrong secret. */
const clientSecretCost = { ln: 14, r: 8, p: 1 };

/** Makes a client secret: 43 characters of base64url. */
export function generateClientSecret(): string {
  return randomBytes(generatedSecretBytes).toString("base64url");
}

/** Hashes a client secret that a person chose, for storage. */
export async function hashClientSecret(secret: string): Promise<string> {
  return await hashSecret(secret, clientSecretCost);
}
