/** Rotating and withdrawing keys: what the commands do, in one transaction each. */
import { addDenylistEntry, prepareDenylist } from "@stowage/access-token/postgres";
import type pg from "pg";
import { type KeyTimes, keyThatSigns } from "../model/key-times.ts";
import { type EncryptionKey, seal, unseal } from "../model/sealed-key.ts";
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
  /** The first is for encrypting, all are for decrypting. */
  readonly encryptionKeys: readonly EncryptionKey[];
}

/** What became of the keys. */
interface KeysChanged {
  /** The keys that the change was about, as they are after it. */
  readonly changed: readonly KeyTimes[];
  /** When, by the database's clock: a Unix time in milliseconds. */
  readonly nowMs: number;
}

/**
 * Publishes a new key, which signs when it has been published for that long. The key that signs now
 * is retired then.
 *
 * @throws KeyChangeRefusedError while an earlier rotation is under way, or when the key set is full
 * @throws SealedKeyError when the key that signs now cannot be decrypted: the services, which do
 *   that, would not know what to do with a key that we encrypt
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
      unseal(current.keyId, current.sealedKey, encryptionKeys);
    }
    await store(connection, { read, changed, pair, encryptionKeys });
    return { changed, nowMs: read.nowMs };
  });
}

/**
 * Takes a key back at once, and all tokens that it signed: it leaves the key set, signs no more,
 * and stands on the denylist from the same moment on. If it was the one that signs, another does.
 *
 * @throws KeyChangeRefusedError when there is no such key
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
    // For ever: whoever has the key chooses when its tokens expire.
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
 * The one that the services use now, which need not be the first: while they are being given
 * another, some know only the old one. Where it is lost, the first.
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
