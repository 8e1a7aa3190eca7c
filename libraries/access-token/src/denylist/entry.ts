import { tokenBytesMax } from "../limits.ts";

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
