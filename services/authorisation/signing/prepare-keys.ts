/** Prepares the signing keys when the service starts. */
import { type EncryptionKey, type Logger, seal } from "@stowage/process";
import type pg from "pg";
import { stateOf } from "../model/key-times.ts";
import { unsealSigningKey } from "../model/sealed-key.ts";
import { generateSigningKey, type KeyPair } from "../model/signing-key.ts";
import {
  changeSigningKeys,
  insertSigningKey,
  readSigningKeys,
  replacePrivateKey,
} from "../store/signing-keys.ts";
import { planRotation } from "./plan-changes.ts";

interface PrepareOptions {
  readonly pool: pg.Pool;
  /** The first one encrypts, all of them decrypt. */
  readonly encryptionKeys: readonly EncryptionKey[];
  readonly logger: Logger;
}

/**
 * Makes the first key if there is none, and re-encrypts keys with the first encryption key.
 * Processes that start together agree on one first key, which signs at once.
 *
 * @throws SealedKeyError if a key that signs or will sign cannot be decrypted; nothing is changed
 */
export async function prepareSigningKeys(options: PrepareOptions): Promise<void> {
  const { pool, encryptionKeys, logger } = options;
  const [encryptionKey] = encryptionKeys;
  if (encryptionKey === undefined) throw new Error("Cannot encrypt the signing keys: got no key");
  // Before it takes the lock: making a key takes a while, and most starts need none.
  const { keys } = await readSigningKeys(pool, "all");
  const candidate = keys.length > 0 ? undefined : await generateSigningKey();

  await changeSigningKeys(pool, async (connection) => {
    const work = { connection, encryptionKey, encryptionKeys, logger };
    await sealAnew(work);
    if (candidate !== undefined) await addFirstKey(work, candidate);
  });
}

interface Work {
  connection: pg.ClientBase;
  encryptionKey: EncryptionKey;
  encryptionKeys: readonly EncryptionKey[];
  logger: Logger;
}

async function sealAnew(work: Work): Promise<void> {
  const { connection, encryptionKey, encryptionKeys, logger } = work;
  const { keys, nowMs } = await readSigningKeys(connection, "current");
  for (const key of keys) {
    const { keyId, sealedKey } = key;
    const isNeeded = ["published", "signing"].includes(stateOf(key, nowMs));
    if (sealedKey === undefined || !isNeeded) continue;
    const privateKeyDer = unsealSigningKey(keyId, sealedKey, encryptionKeys);
    if (sealedKey.encryptionKeyId === encryptionKey.id) continue;
    const sealed = seal(keyId, privateKeyDer, encryptionKey);
    await replacePrivateKey(connection, keyId, sealed);
    logger.info({ keyId, encryptionKeyId: encryptionKey.id }, "encrypted a signing key anew");
  }
}

async function addFirstKey(
  { connection, encryptionKey, logger }: Work,
  pair: KeyPair,
): Promise<void> {
  const { keys, nowMs } = await readSigningKeys(connection, "all");
  if (keys.length > 0) return;
  const { keyId, privateKeyDer } = pair;
  for (const times of planRotation({ keys, nowMs, newKeyId: keyId, publicationMs: 0 })) {
    const sealed = seal(keyId, privateKeyDer, encryptionKey);
    await insertSigningKey(connection, times, pair, sealed);
  }
  logger.info({ keyId }, "made the first signing key");
}
