import type { AccessToken } from "../access-token.ts";
import { tokenBytesMax } from "../limits.ts";

/** The tokens that are refused although all else about them is right: the revoked ones. */
export interface Denylist {
  /**
   * Called for every request, so it answers from memory and at once. What it gives, such as a
   * promise, is taken for a failure.
   *
   * Throws TokenRefusedError: TOKEN_REVOKED; DENYLIST_UNAVAILABLE when it is not known whether the
   * token is revoked.
   *
   * @param keyId the `kid` of the key that the token is signed with
   */
  check(token: AccessToken, keyId: string): void;
  /**
   * Revokes tokens. When it resolves, the entry is stored and in force in this process. Rejects
   * with a TypeError for an entry that is not one.
   */
  add(entry: DenylistEntry): Promise<void>;
}

/**
 * What is revoked. Times are Unix times in seconds.
 *
 * - `jti`: the one token with this ID.
 * - `sid`: every token of this session.
 * - `kid`: every token signed with this key.
 * - `sub`: every token of this subject that was issued before `issuedBefore`.
 *
 * After `expiresAt` the entry may be forgotten: no token that it is about may be valid any longer
 * by then. Without it the entry is kept for ever, as one for a stolen key must be: whoever has the
 * key chooses when its tokens expire.
 */
export type DenylistEntry =
  | {
      readonly kind: "jti" | "sid" | "kid";
      readonly value: string;
      readonly expiresAt?: number;
    }
  | {
      readonly kind: "sub";
      readonly value: string;
      readonly issuedBefore: number;
      readonly expiresAt?: number;
    };

/** Throws a TypeError that says what is wrong. */
export function checkEntry(entry: DenylistEntry): void {
  const { kind, value, expiresAt } = entry;
  check("kind", "jti, sid, kid or sub", ["jti", "sid", "kid", "sub"].includes(kind));
  check(
    "value",
    `1 to ${tokenBytesMax} bytes of well-formed text`,
    typeof value === "string" &&
      value !== "" &&
      value.isWellFormed() &&
      Buffer.byteLength(value) <= tokenBytesMax,
  );
  if (kind === "sub") check("issuedBefore", time, isTime(entry.issuedBefore));
  if (expiresAt !== undefined) check("expiresAt", time, isTime(expiresAt));
}

const time = "a Unix time in whole seconds";

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function check(name: string, needed: string, holds: boolean): void {
  if (!holds) throw new TypeError(`Cannot use the denylist entry: ${name} must be ${needed}`);
}
