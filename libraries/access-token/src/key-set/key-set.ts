import { KeyObject } from "node:crypto";
import type { JsonValue } from "../parse-json.ts";
import { quote, quoteFailure, TokenRefusedError } from "../token-refused-error.ts";
import { readKeySet } from "./read-key-set.ts";

/** The issuer's public keys, by key ID. */
export interface KeySet {
  /**
   * The key with this ID if it is held and may be used now; never waits.
   *
   * It is the same object (`===`) as long as the material of the key is the same, across fetches.
   * So whoever has verified a token under a key can tell that the key still stands: another object
   * under the same ID, or none, means that the token must be verified again.
   */
  known(keyId: string): KeyObject | undefined;
  /**
   * The key with this ID. A key already known is given at once, not by way of a promise.
   *
   * Throws or rejects with TokenRefusedError: KEY_UNKNOWN, KEY_SET_UNAVAILABLE.
   */
  find(keyId: string): KeyObject | Promise<KeyObject>;
}

/** Third step: the key that the header names, from the key set and from nowhere else. */

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

/** A JSON Web Key Set (RFC 7517 section 5) as parsed from JSON. */
export interface JsonWebKeySet {
  readonly keys: readonly object[];
}

/**
 * Keys that never change: for tests, and for services that are given their issuer's keys.
 *
 * Throws a TypeError when the set is not usable: the rules are those of a fetched set.
 */
export function staticKeySet(jwks: JsonWebKeySet): KeySet {
  const keys = readKeys(jwks);
  return Object.freeze({
    known: (keyId: string) => keys.get(keyId),
    find(keyId: string) {
      const key = keys.get(keyId);
      if (key !== undefined) return key;
      throw new TokenRefusedError("KEY_UNKNOWN", `unverified kid is ${quote(keyId)}`);
    },
  });
}

function readKeys(jwks: JsonWebKeySet) {
  try {
    return readKeySet(jwks as unknown as JsonValue);
  } catch (error) {
    throw new TypeError(`Cannot make a key set: ${(error as Error).message}`, { cause: error });
  }
}
