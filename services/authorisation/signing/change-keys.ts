/** Rotates and withdraws keys, in one transaction each. */
import { addDenylistEntry, prepareDenylist } from "@stowage/access-token/postgres";
import { type EncryptionKey, seal } from "@stowage/process";
import type pg from "pg";
import { type KeyTimes, keyThatSigns } from "../model/key-times.ts";
import { unsealSigningKey } from "../model/sealed-key.ts";
import { generateSigningKey, type KeyPair } from "../model/signing-key.ts";
import {
  changeSigningKeys,
  insertSigningKey,
  type KeysRead,
  readSigningKeys,
  updateKeyTimes,
} from "../store/signing-keys.ts";
import { planRotation, planWithdrawal } from "./plan-changes.ts";

/** What a change needs. */
export interface ChangeOptions {
  readonly pool: pg.Pool;
  /** The first one encrypts, all of them decrypt. */
  readonly encryptionKeys: readonly EncryptionKey[];
}

interface KeysChanged {
  /** The changed keys, as they are now. */
  readonly changed: readonly KeyTimes[];
  /** The time of the change, by the database's clock: a Unix time in milliseconds. */
  readonly nowMs: number;
}

/**
 * Publishes a new key. It signs after `publicationMs`, when the current key retires.
 *
 * @throws KeyChangeRefusedError while an earlier rotation is running, or if the key set is full
 * @throws SealedKeyError if the current key cannot be decrypted: our encryption keys are not those
 *   of the services, which could not decrypt the new key
 */
export async function rotateKeys(
  options: ChangeOptions & { publicationMs: number },
): Promise<KeysChanged> {
  const { pool, encryptionKeys, publicationMs } = options;
  const pair = await generateSigningKey();
  return await changeSigningKeys(pool, async (connection) => {
    const read = await readSigningKeys(connection, "all");
    const plan = { ...read, newKeyId: pair.keyId, publicationMs };
    const changed = planRotation(plan);
    const current = keyThatSigns(read.keys, read.nowMs);
    if (current?.sealedKey !== undefined) {
      unsealSigningKey(current.keyId, current.sealedKey, encryptionKeys);
    }
    await store(connection, { read, changed, pair, encryptionKeys });
    return { changed, nowMs: read.nowMs };
  });
}

/**
 * Withdraws a key at once: it leaves the key set, signs no more, and is on the denylist, which
 * revokes all tokens that it signed. If it was the current key, another one becomes current.
 *
 * @throws KeyChangeRefusedError if there is no such key
 */
export async function withdrawKey(
  options: ChangeOptions & { keyId: string },
): Promise<KeysChanged> {
  const { pool, encryptionKeys, keyId } = options;
  await prepareDenylist(pool);
  const pair = await generateSigningKey();
  return await changeSigningKeys(pool, async (connection) => {
    const read = await readSigningKeys(connection, "all");
    const changed = planWithdrawal({ ...read, newKeyId: pair.keyId, keyId });
    await store(connection, { read, changed, pair, encryptionKeys });
    // For ever: the thief of a key chooses when its tokens expire.
    if (changed.length > 0) await addDenylistEntry(connection, { kind: "kid", value: keyId });
    return { changed, nowMs: read.nowMs };
  });
}

async function store(
  connection: pg.ClientBase,
  work: {
    read: KeysRead;
    changed: readonly KeyTimes[];
    pair: KeyPair;
    encryptionKeys: readonly EncryptionKey[];
  },
): Promise<void> {
  const { read, changed, pair, encryptionKeys } = work;
  for (const times of changed) {
    if (times.keyId !== pair.keyId) {
      await updateKeyTimes(connection, times);
    } else {
      const encryptionKey = encryptionKeyInUse(read, encryptionKeys);
      const sealed = seal(pair.keyId, pair.privateKeyDer, encryptionKey);
      await insertSigningKey(connection, times, pair, sealed);
    }
  }
}

/**
 * The encryption key that the services use now. It need not be the first: during a change, some
 * services know only the old one. If it is lost, the first.
 */
function encryptionKeyInUse(
  { keys, nowMs }: KeysRead,
  encryptionKeys: readonly EncryptionKey[],
): EncryptionKey {
  const inUse = keyThatSigns(keys, nowMs)?.sealedKey?.encryptionKeyId;
  const encryptionKey = encryptionKeys.find(({ id }) => id === inUse) ?? encryptionKeys[0];
  if (encryptionKey === undefined) throw new Error("Cannot encrypt a signing key: got no key");
  return encryptionKey;
}
