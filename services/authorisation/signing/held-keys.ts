/**
 * The keys in the memory of a running service: what was read last, and what the times in it mean at
 * this moment.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { errorText } from "@stowage/process";
import { type KeyTimes, keysInSet, keyThatSigns, stateOf } from "../model/key-times.ts";
import { type EncryptionKey, unseal } from "../model/sealed-key.ts";
import { type PublicJwk, publicJwkOf } from "../model/signing-key.ts";
import type { KeysRead, StoredKey } from "../store/signing-keys.ts";

/** A key that is ready for use. */
interface HeldKey extends KeyTimes {
  readonly publicKey: KeyObject;
  readonly publicJwk: PublicJwk;
  /** Undefined where it does not sign, or could not be decrypted. */
  readonly privateKey: KeyObject | undefined;
}

/** See the top of the file. */
export class HeldKeys {
  readonly #encryptionKeys: readonly EncryptionKey[];
  readonly #clock: () => number;
  #keys: readonly HeldKey[] = [];
  #takenNowMs = 0;
  #takenAtMs = Number.NEGATIVE_INFINITY;

  /** @param clock milliseconds that go by, from any beginning; never set back */
  constructor(encryptionKeys: readonly EncryptionKey[], clock: () => number) {
    this.#encryptionKeys = encryptionKeys;
    this.#clock = clock;
  }

  /**
   * Puts what was read in place of what was known.
   *
   * @returns what is wrong with keys that sign or will sign: they cannot be decrypted
   */
  take({ keys, nowMs }: KeysRead): string[] {
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
    this.#takenNowMs = nowMs;
    this.#takenAtMs = this.#clock();
    return problems;
  }

  /** How long ago the keys were taken in, in milliseconds; infinite before. */
  get ageMs(): number {
    return this.#clock() - this.#takenAtMs;
  }

  /** The time by the database's clock, or a little less. */
  get nowMs(): number {
    return this.#takenNowMs + this.ageMs;
  }

  /** The key that signs now; undefined where there is none. */
  get current(): HeldKey | undefined {
    return keyThatSigns(this.#keys, this.nowMs);
  }

  /** The key set, the newest key first. */
  get published(): readonly PublicJwk[] {
    return keysInSet(this.#keys, this.nowMs).map(({ publicJwk }) => publicJwk);
  }

  /** The key of that ID, if it is known. */
  find(keyId: string): HeldKey | undefined {
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
  const key = unseal(keyId, sealedKey, encryptionKeys);
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}
