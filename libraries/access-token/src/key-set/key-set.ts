import { KeyObject } from "node:crypto";
import type { JsonValue } from "../parse-json.ts";
import { quote, quoteFailure, TokenRefusedError } from "../token-refused-error.ts";
import { readKeySet } from "./read-key-set.ts";

/** The issuer's public keys, by key ID. */
export interface KeySet {
  /**
   * Returns the key with this ID if it is cached and may be used now. Never waits.
   *
   * A key stays the same object (`===`) across fetches as long as its material is the same. Another
   * object, or none, means that a token verified with the old key must be verified again.
   */
  get(keyId: string): KeyObject | undefined;
  /**
   * Returns the key with this ID: a cached key itself, or a promise while the keys are fetched.
   *
   * Throws or rejects with TokenRefusedError: KEY_UNKNOWN, KEY_SET_UNAVAILABLE.
   */
  getOrFetch(keyId: string): KeyObject | Promise<KeyObject>;
}

/**
 * The same as `getOrFetch`, but an error of a custom key set becomes KEY_SET_UNAVAILABLE. Throws or
 * rejects only with TokenRefusedError.
 */
export function findKey(keySet: KeySet, keyId: string): KeyObject | Promise<KeyObject> {
  try {
    const found = keySet.getOrFetch(keyId);
    return found instanceof KeyObject ? found : Promise.resolve(found).catch(refuse);
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  if (error instanceof TokenRefusedError) throw error;
  // A custom key set may throw any error. Then it is unknown whether the token is valid.
  const detail = `the key set failed: ${quoteFailure(error)}`;
  throw new TokenRefusedError("KEY_SET_UNAVAILABLE", detail, {
    retryAfterSeconds: 1,
    cause: error,
  });
}

/** Whether the key set still has the same key object under this ID. */
export function hasSameKey(keySet: KeySet, used: { keyId: string; key: KeyObject }): boolean {
  try {
    return keySet.get(used.keyId) === used.key;
  } catch {
    // The token is then verified again, and findKey reports the error.
    return false;
  }
}

/** A JSON Web Key Set (RFC 7517 section 5) as parsed from JSON. */
export interface JsonWebKeySet {
  readonly keys: readonly object[];
}

/**
 * A key set that never changes, for tests and for services that are configured with keys.
 *
 * Throws a TypeError for an unusable set. The rules are those of a fetched set.
 */
export function staticKeySet(jwks: JsonWebKeySet): KeySet {
  const keys = readKeys(jwks);
  return Object.freeze({
    get: (keyId: string) => keys.get(keyId),
    getOrFetch(keyId: string) {
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
