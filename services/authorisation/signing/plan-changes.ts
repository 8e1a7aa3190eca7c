/**
 * Plans how a rotation or a withdrawal changes the times of the keys. The caller must hold the
 * table's lock from before it reads the keys until it has committed the change.
 *
 * At any moment exactly one key signs: a key retires at the moment from which the next one signs.
 * At most one key waits to sign.
 */
import {
  type KeyTimes,
  keysInSet,
  keyThatSigns,
  removedAtMs,
  stateOf,
} from "../model/key-times.ts";

/** The keys cannot be changed like that; the message says why. */
export class KeyChangeRefusedError extends Error {
  override name = "KeyChangeRefusedError";
}

interface PlanOptions {
  /** All keys. */
  readonly keys: readonly KeyTimes[];
  readonly nowMs: number;
  /** The ID of a key that the plan may add. */
  readonly newKeyId: string;
}

/** Resource servers refuse sets of more than 32 keys or 64 KiB. Weekly rotations need two keys. */
const keysInSetMax = 16;

/**
 * Plans a new key that signs after `publicationMs`, or at once if it is the first.
 *
 * @returns the keys that change or are new
 * @throws KeyChangeRefusedError while an earlier rotation is running, or if the key set is full
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
 * Plans a withdrawal. If the key is current, another one signs from this moment on: the one that
 * waits, or else the new one. If the key waits, the current key continues to sign.
 *
 * @returns the keys that change or are new; none if the key was withdrawn before
 * @throws KeyChangeRefusedError if there is no such key
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
