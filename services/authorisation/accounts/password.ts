/** Passwords: what one must be like, and how it is hashed. */
import { hashSecret } from "../secrets/scrypt-hash.ts";

/** Long ones are good ones; nothing else is asked of them (NIST SP 800-63B section 3.1.1). */
export const passwordCharacters = { min: 12, max: 256 };

/** 32 MiB, three times over, and some 200 ms: people choose what can be guessed. */
const cost = { ln: 15, r: 8, p: 3 };

/** A password as it is hashed and compared: however the keyboard wrote its accents. */
export function normalisePassword(text: string): string {
  return text.normalize("NFC");
}

/** Hashes a password for storage. */
export async function hashPassword(password: string): Promise<string> {
  return await hashSecret(normalisePassword(password), cost);
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
