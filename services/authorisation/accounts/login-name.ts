/** How people are named where they sign in: a name or an e-mail address, in any case. */

/** As many characters as the database keeps. */
export const loginNameCharactersMax = 128;

/** A login name as it is stored; undefined for what cannot be one. */
export function normaliseLoginName(text: string): string | undefined {
  const name = text.normalize("NFC").trim().toLowerCase();
  const length = [...name].length;
  const isName = length > 0 && length <= loginNameCharactersMax && !/[\s\p{Cc}\p{Cs}]/u.test(name);
  return isName ? name : undefined;
}
