import type { KeyObject } from "node:crypto";

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
