import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, it } from "node:test";
import { encryptionKeyOf } from "@stowage/process";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import { calculateJwkThumbprint } from "jose";
import type pg from "pg";
import { stateOf } from "../model/key-times.ts";
import { unsealSigningKey } from "../model/sealed-key.ts";
import { authSchema } from "../store/migrate-store.ts";
import { isAnyKeySealed, readSigningKeys, type StoredKey } from "../store/signing-keys.ts";
import { openTestPool, passTime, silentLogger } from "../testing/signing-keys.ts";
import { rotateKeys } from "./change-keys.ts";
import { prepareSigningKeys } from "./prepare-keys.ts";

const encryptionKey = encryptionKeyOf(randomBytes(32));
const newEncryptionKey = encryptionKeyOf(randomBytes(32));
let database: TestDatabase;
let pool: pg.Pool;
beforeEach(async () => {
  database = await createTestDatabase(authSchema);
  pool = openTestPool(database.databaseUrl);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

function prepare(encryptionKeys = [encryptionKey], on = pool): Promise<void> {
  return prepareSigningKeys({ pool: on, encryptionKeys, logger: silentLogger });
}

async function storedKeys(): Promise<readonly StoredKey[]> {
  return (await readSigningKeys(pool, "all")).keys;
}

describe("at a start, signing keys", () => {
  it("are made if there are none: racing processes make one, which signs at once", async () => {
    assert.equal(await isAnyKeySealed(pool), false);
    const pools = Array.from({ length: 6 }, () => openTestPool(database.databaseUrl));
    await Promise.all(pools.map((each) => prepare([encryptionKey], each)));
    await Promise.all(pools.map((each) => each.end()));

    assert.equal(await isAnyKeySealed(pool), true);
    const { keys, nowMs } = await readSigningKeys(pool, "all");
    const [key] = keys;
    assert.ok(key?.sealedKey !== undefined && keys.length === 1);
    assert.equal(stateOf(key, nowMs), "signing");
    const der = unsealSigningKey(key.keyId, key.sealedKey, [encryptionKey]);
    const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    const publicKey = createPublicKey(key.publicKeyPem);
    assert.ok(createPublicKey(privateKey).equals(publicKey));
    const jwk = publicKey.export({ format: "jwk" });
    assert.equal(key.keyId, await calculateJwkThumbprint(jwk as Record<string, string>));
    await prepare();
    assert.deepEqual(await storedKeys(), keys, "another start changes nothing");
  });

  it("are re-encrypted with the first encryption key, given the earlier one too", async () => {
    await prepare();
    await rotateKeys({ pool, encryptionKeys: [encryptionKey], publicationMs: 60_000 });
    await prepare([newEncryptionKey, encryptionKey]);
    const keys = await storedKeys();
    assert.equal(keys.length, 2);
    for (const { sealedKey } of keys) assert.equal(sealedKey?.encryptionKeyId, newEncryptionKey.id);
    await prepare([newEncryptionKey]);
    assert.deepEqual(await storedKeys(), keys);
  });

  it("stay unchanged if they cannot be decrypted, and nothing starts", async () => {
    await prepare();
    const keys = await storedKeys();
    await assert.rejects(prepare([newEncryptionKey]), { name: "SealedKeyError" });
    assert.deepEqual(await storedKeys(), keys);
  });

  it("need not be decrypted when they have retired", async () => {
    await prepare();
    await rotateKeys({ pool, encryptionKeys: [encryptionKey], publicationMs: 60_000 });
    await passTime(pool, 61);
    await pool.query(
      "update auth.signing_keys set encryption_key_id = 'lost' where retired_at < now()",
    );
    await prepare();
  });
});
