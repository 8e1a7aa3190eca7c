import type { KeySet } from "./key-set.ts";
import type { JsonValue } from "./parse-json.ts";
import { readKeySet } from "./read-key-set.ts";
import { quote, TokenRefusedError } from "./token-refused-error.ts";

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
