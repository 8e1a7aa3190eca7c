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
 * - `client`: the same for the tokens of this client, or only those of one `subject` at it.
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
    }
  | {
      readonly kind: "client";
      readonly value: string;
      readonly subject?: string;
      readonly issuedBefore: number;
      readonly expiresAt?: number;
    };

const kinds = ["jti", "sid", "kid", "sub", "client"];

/** Throws a TypeError that says what is wrong. */
export function checkEntry(entry: DenylistEntry): void {
  const { kind, value, expiresAt } = entry;
  check("kind", "jti, sid, kid, sub or client", kinds.includes(kind));
  check("value", text, isText(value));
  if (kind === "sub" || kind === "client") {
    check("issuedBefore", time, isTime(entry.issuedBefore));
  }
  if (kind === "client" && entry.subject !== undefined) {
    check("subject", text, isText(entry.subject));
  }
  if (expiresAt !== undefined) check("expiresAt", time, isTime(expiresAt));
}

const text = `1 to ${tokenBytesMax} bytes of well-formed text`;
const time = "a Unix time in whole seconds";

function isText(value: unknown): boolean {
  if (typeof value !== "string" || value === "" || !value.isWellFormed()) return false;
  return Buffer.byteLength(value) <= tokenBytesMax;
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function check(name: string, needed: string, holds: boolean): void {
  if (!holds) throw new TypeError(`Cannot use the denylist entry: ${name} must be ${needed}`);
}
