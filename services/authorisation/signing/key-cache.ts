/** The keys that a running service read last, and what their times mean at this moment. */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { type EncryptionKey, errorText } from "@stowage/process";
import {
  type KeyState,
  type KeyTimes,
  keysInSet,
  keyThatSigns,
  stateOf,
} from "../model/key-times.ts";
import { unsealSigningKey } from "../model/sealed-key.ts";
import { type PublicJwk, publicJwkOf } from "../model/signing-key.ts";
import type { KeysRead, StoredKey } from "../store/signing-keys.ts";

interface CachedKey extends KeyTimes {
  readonly publicKey: KeyObject;
  readonly publicJwk: PublicJwk;
  /** Undefined if the key does not sign, or cannot be decrypted. */
  readonly privateKey: KeyObject | undefined;
}

export class KeyCache {
  readonly #encryptionKeys: readonly EncryptionKey[];
  readonly #clock: () => number;
  #keys: readonly CachedKey[] = [];
  #readNowMs = 0;
  #readAtMs = Number.NEGATIVE_INFINITY;

  /** @param clock a monotonic clock in milliseconds */
  constructor(encryptionKeys: readonly EncryptionKey[], clock: () => number) {
    this.#encryptionKeys = encryptionKeys;
    this.#clock = clock;
  }

  /**
   * Replaces the keys by those that were read.
   *
   * @returns the problems of keys that sign or will sign: they cannot be decrypted
   */
  replace({ keys, nowMs }: KeysRead): string[] {
    const problems: string[] = [];
    const known = new Map(this.#keys.map((key) => [key.keyId, key]));
    this.#keys = keys.map((stored) => {
      const { publicKeyPem: _, sealedKey: __, ...times } = stored;
      const key = { ...(known.get(stored.keyId) ?? publicPartsOf(stored)), ...times };
      if (!["published", "signing"].includes(stateOf(key, nowMs))) return key;
      try {
        return {
          ...key,
          privateKey: key.privateKey ?? openPrivateKey(stored, this.#encryptionKeys),
        };
      } catch (error) {
        problems.push(errorText(error));
        return key;
      }
    });
    this.#readNowMs = nowMs;
    this.#readAtMs = this.#clock();
    return problems;
  }

  /** The time since the last read, in milliseconds; infinite before the first. */
  get ageMs(): number {
    return this.#clock() - this.#readAtMs;
  }

  /** The time of the database's clock, or a little less. */
  get nowMs(): number {
    return this.#readNowMs + this.ageMs;
  }

  get current(): CachedKey | undefined {
    return keyThatSigns(this.#keys, this.nowMs);
  }

  /** The key set, the newest key first. */
  get published(): readonly PublicJwk[] {
    return keysInSet(this.#keys, this.nowMs).map(({ publicJwk }) => publicJwk);
  }

  /** The states and times of the keys of the key set, the newest first. */
  get states(): readonly { state: KeyState; createdAtMs: number }[] {
    return keysInSet(this.#keys, this.nowMs).map((key) => {
      return { state: stateOf(key, this.nowMs), createdAtMs: key.createdAtMs };
    });
  }

  find(keyId: string): CachedKey | undefined {
    return this.#keys.find((key) => key.keyId === keyId);
  }
}

function publicPartsOf({ keyId, publicKeyPem }: StoredKey) {
  const publicKey = createPublicKey(publicKeyPem);
  const privateKey: KeyObject | undefined = undefined;
  return { publicKey, publicJwk: publicJwkOf(keyId, publicKey), privateKey };
}

function openPrivateKey(
  { keyId, sealedKey }: StoredKey,
  encryptionKeys: readonly EncryptionKey[],
): KeyObject {
  if (sealedKey === undefined) throw new Error(`Cannot sign with key ${keyId}: it was erased`);
  const key = unsealSigningKey(keyId, sealedKey, encryptionKeys);
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}
