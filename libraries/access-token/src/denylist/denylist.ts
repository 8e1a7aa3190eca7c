import type { AccessToken } from "../access-token.ts";
import { tokenBytesMax } from "../limits.ts";

/** The revoked tokens. */
export interface Denylist {
  /**
   * Called for every request, so it must be synchronous and answer from memory. Any return value,
   * such as a promise, counts as a failure.
   *
   * Throws TokenRefusedError: TOKEN_REVOKED; DENYLIST_UNAVAILABLE if it is unknown whether the
   * token is revoked.
   *
   * @param keyId the `kid` of the key that the token is signed with
   */
  check(token: AccessToken, keyId: string): void;
  /**
   * Revokes tokens. When it resolves, the entry is stored and in force in this process. Rejects
   * with a TypeError for an invalid entry.
   */
  add(entry: DenylistEntry): Promise<void>;
}

/**
 * Names the revoked tokens. Times are Unix times in seconds.
 *
 * - `jti`: the one token with this ID.
 * - `sid`: every token of this session.
 * - `kid`: every token signed with this key.
 * - `sub`: every token of this subject that was issued before `issuedBefore`.
 *
 * After `expiresAt` the entry may be removed, so it must not be before the `exp` of the tokens. An
 * entry without it is kept for ever. Entries for a stolen key need that: the thief can sign tokens
 * with any `exp`.
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
