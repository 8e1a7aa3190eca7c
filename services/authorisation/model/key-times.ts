/**
 * What a signing key does when, told by its times alone: processes that read the same rows come to
 * the same answer at the same moment. All times are Unix times in milliseconds, by the database's
 * clock.
 */

/** When a key does what. A key is in the key set from the moment it is made. */
export interface KeyTimes {
  /** The RFC 7638 thumbprint of the public key. */
  readonly keyId: string;
  readonly createdAtMs: number;
  readonly signsFromMs: number;
  /** When the next key takes over; of the last one in line, undefined. */
  readonly retiredAtMs: number | undefined;
  /** When somebody took it back. */
  readonly withdrawnAtMs: number | undefined;
}

/**
 * - `published`: in the key set, and will sign once every resource server can know it.
 * - `signing`: in the key set; the one key that signs.
 * - `retired`: in the key set, since tokens that it signed may still be valid.
 * - `removed`: no longer in the key set; every token that it signed has expired.
 * - `withdrawn`: taken back before its time, and out of the key set since.
 */
export type KeyState = "published" | "signing" | "retired" | "removed" | "withdrawn";

/** The longest that anything signed with our keys is valid, an access token or an ID token. */
export const tokenLifetimeSecondsMax = 3600;

/**
 * How long a retired key stays in the key set. A process that hears late of the retirement signs
 * with it for 10 s more at most (see followed-keys.ts), a resource server may accept a token for
 * 60 s longer than it lives, and the rest is for clocks that differ.
 */
export const keptAfterRetirementSeconds = tokenLifetimeSecondsMax + 300;

/** What a key does at a moment. */
export function stateOf(key: KeyTimes, nowMs: number): KeyState {
  if (key.withdrawnAtMs !== undefined) return "withdrawn";
  if (nowMs < key.signsFromMs) return "published";
  if (key.retiredAtMs === undefined || nowMs < key.retiredAtMs) return "signing";
  return nowMs < removedAtMs(key.retiredAtMs) ? "retired" : "removed";
}

/** When a key leaves the key set, given when it was retired. */
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
 * The key that signs at a moment; undefined where there is no key at all. Before the first key's
 * time, which the clock of another database server may not have reached, it is the first in line.
 */
export function keyThatSigns<Key extends KeyTimes>(
  keys: readonly Key[],
  nowMs: number,
): Key | undefined {
  const signing = keys.find((key) => stateOf(key, nowMs) === "signing");
  return signing ?? keysInSet(keys, nowMs).findLast((key) => nowMs < key.signsFromMs);
}
