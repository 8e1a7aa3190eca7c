import type { KeyObject } from "node:crypto";

/** The issuer's public keys, by key ID. */
export interface KeySet {
  /**
   * The key with this ID if it is held and may be used now; asks nobody. It is the same object as
   * long as the key is the same: what was verified under another object is verified again.
   */
  known(keyId: string): KeyObject | undefined;
  /**
   * The key with this ID. A key already known is given at once, not by way of a promise.
   *
   * Throws or rejects with TokenRefusedError: KEY_UNKNOWN, KEY_SET_UNAVAILABLE.
   */
  find(keyId: string): KeyObject | Promise<KeyObject>;
}
