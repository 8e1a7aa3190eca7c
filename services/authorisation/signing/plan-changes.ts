/**
 * How rotating and withdrawing change the times of the keys. Whoever carries a plan out holds the
 * table's lock from before the keys are read until the change is committed.
 *
 * From the first key's first moment on, exactly one key signs at any moment: a key is retired at
 * the very moment from which the next one signs. At most one key waits to sign.
 */
import {
  type KeyTimes,
  keysInSet,
  keyThatSigns,
  removedAtMs,
  stateOf,
} from "../model/key-times.ts";

/** The keys cannot be changed as asked; the message says why. */
export class KeyChangeRefusedError extends Error {
  override name = "KeyChangeRefusedError";
}

/** What is needed to plan a change. */
interface PlanOptions {
  /** Every key there is. */
  readonly keys: readonly KeyTimes[];
  readonly nowMs: number;
  /** The ID of a key that was made for the case that one is needed. */
  readonly newKeyId: string;
}

/**
 * Keys in the key set at once. Resource servers refuse sets of more than 32, or of 64 KiB; a key
 * takes 0.5 KiB, and whoever rotates weekly has two.
 */
const keysInSetMax = 16;

/**
 * A new key that signs when it has been published for that long; right away if it is the first.
 *
 * @returns the keys that change or are new
 * @throws KeyChangeRefusedError while an earlier rotation is under way, or when the key set is full
 */
export function planRotation(options: PlanOptions & { publicationMs: number }): KeyTimes[] {
  const { keys, nowMs, newKeyId, publicationMs } = options;
  const current = keyThatSigns(keys, nowMs);
  if (current === undefined) return [newKey(newKeyId, nowMs, nowMs)];
  const next = keyThatWaits(keys, nowMs);
  if (next !== undefined) {
    throw new KeyChangeRefusedError(
      `Cannot rotate: key ${next.keyId} is published already and signs from ` +
        `${timeText(next.signsFromMs)}, need a rotation that has ended`,
    );
  }
  const published = keysInSet(keys, nowMs);
  if (published.length >= keysInSetMax) {
    const freeAtMs = Math.min(
      ...published.map(({ retiredAtMs }) => removedAtMs(retiredAtMs ?? Number.POSITIVE_INFINITY)),
    );
    throw new KeyChangeRefusedError(
      `Cannot rotate: ${published.length} keys are in the key set, need fewer than ` +
        `${keysInSetMax}; the next one leaves it at ${timeText(freeAtMs)}`,
    );
  }
  const signsFromMs = nowMs + publicationMs;
  return [{ ...current, retiredAtMs: signsFromMs }, newKey(newKeyId, nowMs, signsFromMs)];
}

/**
 * Takes a key back. If it was the one that signs, another signs from this moment on: the one that
 * waits, or else the new one. If it was the one that waits, the one that signs goes on.
 *
 * @returns the keys that change or are new; none when the key was withdrawn before
 * @throws KeyChangeRefusedError when there is no such key
 */
export function planWithdrawal(options: PlanOptions & { keyId: string }): KeyTimes[] {
  const { keys, nowMs, newKeyId, keyId } = options;
  const key = keys.find((candidate) => candidate.keyId === keyId);
  if (key === undefined) {
    throw new KeyChangeRefusedError(`Cannot withdraw key ${keyId}: there is no such key`);
  }
  if (key.withdrawnAtMs !== undefined) return [];
  const retiredAtMs = Math.min(key.retiredAtMs ?? nowMs, nowMs);
  const withdrawn = { ...key, retiredAtMs, withdrawnAtMs: nowMs };
  const current = keyThatSigns(keys, nowMs);
  const next = keyThatWaits(keys, nowMs);
  if (key === current) {
    const successor = next === undefined ? newKey(newKeyId, nowMs, nowMs) : next;
    return [withdrawn, { ...successor, signsFromMs: nowMs }];
  }
  if (key === next && current !== undefined) {
    return [withdrawn, { ...current, retiredAtMs: undefined }];
  }
  return [withdrawn];
}

function keyThatWaits(keys: readonly KeyTimes[], nowMs: number): KeyTimes | undefined {
  const current = keyThatSigns(keys, nowMs);
  return keys.find((key) => key !== current && stateOf(key, nowMs) === "published");
}

function newKey(keyId: string, createdAtMs: number, signsFromMs: number): KeyTimes {
  return { keyId, createdAtMs, signsFromMs, retiredAtMs: undefined, withdrawnAtMs: undefined };
}

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
