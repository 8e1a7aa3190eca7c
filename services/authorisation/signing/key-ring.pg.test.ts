import assert from "node:assert/strict";
import { randomBytes, verify } from "node:crypto";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { encryptionKeyOf, seal } from "@stowage/process";
import {
  createTestDatabase,
  type DatabaseRelay,
  relayDatabase,
  type TestDatabase,
  until,
} from "@stowage/process/testing";
import type pg from "pg";
import { authSchema } from "../store/migrate-store.ts";
import { readSigningKeys } from "../store/signing-keys.ts";
import { openTestPool, passTime, silentLogger } from "../testing/signing-keys.ts";
import { rotateKeys, withdrawKey } from "./change-keys.ts";
import { type KeyRing, openKeyRing } from "./key-ring.ts";
import { prepareSigningKeys } from "./prepare-keys.ts";

const encryptionKeys = [encryptionKeyOf(randomBytes(32))];
const publicationMs = 60_000;
const data = Buffer.from("to be signed");

describe("a key ring", () => {
  let database: TestDatabase;
  let relay: DatabaseRelay;
  let pool: pg.Pool;
  let keys: KeyRing;
  let aheadMs: number;
  before(async () => {
    database = await createTestDatabase(authSchema);
    pool = openTestPool(database.databaseUrl);
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query("delete from auth.signing_keys");
    await prepareSigningKeys({ pool, encryptionKeys, logger: silentLogger });
    relay = await relayDatabase(database.databaseUrl);
    aheadMs = 0;
    keys = await open();
  });
  afterEach(async () => {
    await keys.stop();
    await relay.cut();
  });

  function open(given = encryptionKeys): Promise<KeyRing> {
    return openKeyRing({
      databaseUrl: relay.databaseUrl,
      lookupPool: pool,
      encryptionKeys: given,
      logger: silentLogger,
      clock: () => performance.now() + aheadMs,
    });
  }

  /** Publishes a new key. Returns its ID. */
  async function rotate(): Promise<string> {
    const { changed } = await rotateKeys({ pool, encryptionKeys, publicationMs });
    return changed.at(-1)?.keyId ?? "";
  }

  function publishedIds(): string {
    return keys.published.map(({ kid }) => kid).join(" ");
  }

  async function canSign(keyId: string): Promise<boolean> {
    const signature = await keys.sign(keyId, data).catch(() => undefined);
    const publicKey = await keys.findPublicKey(keyId);
    if (signature === undefined || publicKey === undefined) return false;
    return verify("sha256", data, publicKey, signature);
  }

  it("publishes a new key, signs with it in time, and finally drops the old one", async () => {
    const old = keys.currentKeyId;
    const next = await rotate();
    await until("it is published", async () => publishedIds() === `${next} ${old}`);
    assert.equal(keys.currentKeyId, old);

    // There was no other read: only the clock has changed.
    aheadMs = publicationMs;
    assert.equal(keys.currentKeyId, next);
    assert.equal(await canSign(next), true);
    aheadMs = 0;

    await passTime(pool, publicationMs / 1000);
    await until("it signs", async () => keys.currentKeyId === next);
    assert.equal(await canSign(old), true, "for what was begun with it");
    await passTime(pool, 11);
    await until("the old one signs no more", async () => !(await canSign(old)));
    assert.equal(publishedIds(), `${next} ${old}`);

    await passTime(pool, 3900);
    await until("the old one is removed", async () => publishedIds() === next);
    await until("its private key is erased", async () => {
      const read = await readSigningKeys(pool, "all");
      return read.keys.find(({ keyId }) => keyId === old)?.sealedKey === undefined;
    });
    assert.ok(await keys.findPublicKey(old), "what it signed can still be recognised");
  });

  it("drops a withdrawn key at once, and signs with another", async () => {
    const old = keys.currentKeyId;
    await withdrawKey({ pool, encryptionKeys, keyId: old });
    await until("another signs", async () => keys.currentKeyId !== old);
    assert.equal(publishedIds(), keys.currentKeyId);
    assert.equal(await canSign(keys.currentKeyId), true);
    assert.equal(await canSign(old), false);
    assert.equal(await keys.findPublicKey(old), undefined);
  });

  it("looks for unknown keys on other connections than it reads on", async () => {
    await relay.cut();
    assert.equal(await keys.findPublicKey("x".repeat(43)), undefined);
  });

  it("finds no public key for an invalid ID", async () => {
    for (const keyId of ["", "x", "\0".repeat(43), "-".repeat(43)]) {
      assert.equal(await keys.findPublicKey(keyId), undefined);
    }
  });

  it("uses the times it has read during an outage of the database, then catches up", async () => {
    const old = keys.currentKeyId;
    const next = await rotate();
    await until("it is published", async () => keys.published.length === 2);
    await relay.cut();
    await passTime(pool, publicationMs / 1000);
    const later = await rotate();
    assert.equal(keys.currentKeyId, old);
    assert.equal(publishedIds(), `${next} ${old}`);
    await relay.mend();
    await until("it has caught up", async () => publishedIds() === `${later} ${next} ${old}`);
    assert.equal(keys.currentKeyId, next);
  });

  it("does not sign when its last read is too old, until it reads again", async () => {
    const keyId = keys.currentKeyId;
    await relay.cut();
    assert.equal(await canSign(keyId), true);
    aheadMs = 11_000;
    await assert.rejects(keys.sign(keyId, data));
    await assert.rejects(keys.ensureRecent());
    assert.equal(publishedIds(), keyId, "the key set is still there");
    await relay.mend();
    await keys.ensureRecent();
    assert.equal(await canSign(keyId), true);
  });

  it("stops waiting for a database that does not answer, and reads when it does", async () => {
    const old = keys.currentKeyId;
    relay.stall();
    const next = await rotate();
    aheadMs = 11_000;
    await assert.rejects(keys.ensureRecent());
    await relay.mend();
    await until("it has caught up", async () => publishedIds() === `${next} ${old}`);
  });

  it("is not usable if it cannot decrypt a key that will sign", async () => {
    keys.checkUsable();
    const next = await rotate();
    const wrong = encryptionKeyOf(randomBytes(32));
    const { bytes, encryptionKeyId } = seal(next, Buffer.from("x"), wrong);
    await pool.query(
      `update auth.signing_keys set encrypted_private_key = $2, encryption_key_id = $3
       where key_id = $1`,
      [next, bytes, encryptionKeyId],
    );
    // It may have read the key before it was changed.
    const another = await open().catch((error: Error) => error);
    assert.ok(another instanceof Error);
    assert.match(another.message, new RegExp(`^Cannot decrypt signing key ${next}: `));
  });

  it("does not start without a key", async () => {
    await pool.query("delete from auth.signing_keys");
    await assert.rejects(open(), /^Error: Cannot sign: there is no signing key$/);
  });
});
