/**
 * The states of a signing key, derived from its times alone: processes that read the same rows get
 * the same state at the same moment. All times are Unix times in milliseconds, by the database's
 * clock.
 */
import { accessTokenSecondsMax } from "./lifetimes.ts";

/** The times of a key. It is in the key set from its creation on. */
export interface KeyTimes {
  /** The RFC 7638 thumbprint of the public key. */
  readonly keyId: string;
  readonly createdAtMs: number;
  readonly signsFromMs: number;
  /** When the next key takes over; undefined for the last key. */
  readonly retiredAtMs: number | undefined;
  readonly withdrawnAtMs: number | undefined;
}

/**
 * - `published`: in the key set, and will sign once every resource server can know it.
 * - `signing`: in the key set; the one key that signs.
 * - `retired`: in the key set, since tokens that it signed may still be valid.
 * - `removed`: no longer in the key set; every token that it signed has expired.
 * - `withdrawn`: out of the key set before its time; its tokens are revoked.
 */
export type KeyState = "published" | "signing" | "retired" | "removed" | "withdrawn";

/**
 * How long a retired key stays in the key set. Access tokens and ID tokens live for an
 * hour at most. A process may sign with a retired key for 10 s (signing/key-ring.ts), a
 * resource server may accept a token for 60 s longer than it lives, and the rest is for clocks that
 * differ.
 */
export const keptAfterRetirementSeconds = accessTokenSecondsMax + 300;

export function stateOf(key: KeyTimes, nowMs: number): KeyState {
  if (key.withdrawnAtMs !== undefined) return "withdrawn";
  if (nowMs < key.signsFromMs) return "published";
  if (key.retiredAtMs === undefined || nowMs < key.retiredAtMs) return "signing";
  return nowMs < removedAtMs(key.retiredAtMs) ? "retired" : "removed";
}

/** When a key leaves the key set. */
export function removedAtMs(retiredAtMs: number): number {
  return retiredAtMs + keptAfterRetirementSeconds * 1000;
}

/** The keys of the key set at a moment, the newest first. */
export function keysInSet<Key extends KeyTimes>(keys: readonly Key[], nowMs: number): Key[] {
  return keys
    .filter((key) => ["published", "signing", "retired"].includes(stateOf(key, nowMs)))
    .sort((one, other) => other.signsFromMs - one.signsFromMs);
}

/**
 * The key that signs at a moment; undefined if there is no key. Before the time of the first key,
 * which the clock of another database server may not have reached, it is that key.
 */
export function keyThatSigns<Key extends KeyTimes>(
  keys: readonly Key[],
  nowMs: number,
): Key | undefined {
  const signing = keys.find((key) => stateOf(key, nowMs) === "signing");
  return signing ?? keysInSet(keys, nowMs).findLast((key) => nowMs < key.signsFromMs);
}
