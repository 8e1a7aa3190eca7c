/** Third step: the key that the header names, from the key set and from nowhere else. */
import { KeyObject } from "node:crypto";
import type { KeySet } from "./key-set.ts";
import { quoteFailure, TokenRefusedError } from "./token-refused-error.ts";

/**
 * A known key is given at once, not by way of a promise. Throws or rejects with TokenRefusedError:
 * KEY_UNKNOWN, KEY_SET_UNAVAILABLE.
 */
export function findKey(keySet: KeySet, keyId: string): KeyObject | Promise<KeyObject> {
  try {
    const found = keySet.find(keyId);
    return found instanceof KeyObject ? found : Promise.resolve(found).catch(refuse);
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  if (error instanceof TokenRefusedError) throw error;
  // A key set made elsewhere can fail in its own way; the token is then neither good nor bad.
  const detail = `the key set failed: ${quoteFailure(error)}`;
  throw new TokenRefusedError("KEY_SET_UNAVAILABLE", detail, {
    retryAfterSeconds: 1,
    cause: error,
  });
}

/** Whether the key set still has this very key under this ID. */
export function isStillKnown(keySet: KeySet, held: { keyId: string; key: KeyObject }): boolean {
  try {
    return keySet.known(held.keyId) === held.key;
  } catch {
    // Then findKey is asked, as for a token never seen, and tells what is the matter.
    return false;
  }
}
