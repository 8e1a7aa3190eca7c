import type { KeyObject } from "node:crypto";

/** The issuer's public keys, by key ID. */
export interface KeySet {
  /**
   * The key with this ID. A key already known is given at once, not by way of a promise.
   *
   * Throws or rejects with TokenRefusedError: KEY_UNKNOWN, KEY_SET_UNAVAILABLE.
   */
  find(keyId: string): KeyObject | Promise<KeyObject>;
}
