import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, it } from "node:test";
import { encryptionKeyOf } from "@stowage/process";
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { type KeyTimes, keyThatSigns, stateOf } from "../model/key-times.ts";
import { unsealSigningKey } from "../model/sealed-key.ts";
import { authSchema } from "../store/migrate-store.ts";
import { type KeysRead, readSigningKeys } from "../store/signing-keys.ts";
import { openTestPool, passTime, silentLogger } from "../testing/signing-keys.ts";
import { rotateKeys, withdrawKey } from "./change-keys.ts";
import { prepareSigningKeys } from "./prepare-keys.ts";

const encryptionKey = encryptionKeyOf(randomBytes(32));
const other = encryptionKeyOf(randomBytes(32));
const publicationMs = 60_000;
let database: TestDatabase;
let pool: pg.Pool;
beforeEach(async () => {
  database = await createTestDatabase(authSchema);
  pool = openTestPool(database.databaseUrl);
  await prepareSigningKeys({ pool, encryptionKeys: [encryptionKey], logger: silentLogger });
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

function rotate(encryptionKeys = [encryptionKey], on = pool) {
  return rotateKeys({ pool: on, encryptionKeys, publicationMs });
}

function withdraw(keyId: string, encryptionKeys = [encryptionKey], on = pool) {
  return withdrawKey({ pool: on, encryptionKeys, keyId });
}

function read(): Promise<KeysRead> {
  return readSigningKeys(pool, "all");
}

async function signer(): Promise<string> {
  const { keys, nowMs } = await read();
  return keyThatSigns(keys, nowMs)?.keyId ?? "";
}

/** What each key does now, the oldest first. */
async function states(): Promise<string[]> {
  const { keys, nowMs } = await read();
  return keys.map((key) => stateOf(key, nowMs));
}

async function deniedKeys(): Promise<unknown[]> {
  const { rows } = await pool.query("select kind, value, expires_at from denylist.entries");
  return rows;
}

function timesOf({ keyId, createdAtMs, signsFromMs, retiredAtMs, withdrawnAtMs }: KeyTimes) {
  return { keyId, createdAtMs, signsFromMs, retiredAtMs, withdrawnAtMs };
}

/** Runs an action on six connections at once. Returns the outcomes. */
async function race<T>(act: (on: pg.Pool) => Promise<T>): Promise<PromiseSettledResult<T>[]> {
  const pools = Array.from({ length: 6 }, () => openTestPool(database.databaseUrl));
  const results = await Promise.allSettled(pools.map(act));
  await Promise.all(pools.map((each) => each.end()));
  return results;
}

describe("a rotation in the database", () => {
  it("publishes a key, lets it sign later, and then retires the old key", async () => {
    const before = await signer();
    const { changed, nowMs } = await rotate();
    assert.deepEqual(await states(), ["signing", "published"]);
    const { keys } = await read();
    assert.deepEqual(keys.map(timesOf), changed.map(timesOf));
    assert.equal(keys[1]?.signsFromMs, nowMs + publicationMs);

    await passTime(pool, publicationMs / 1000);
    assert.deepEqual(await states(), ["retired", "signing"]);
    assert.notEqual(await signer(), before);
    await passTime(pool, 3901);
    assert.deepEqual(await states(), ["removed", "signing"]);
  });

  it("happens once if many request it at the same time", async () => {
    const results = await race((on) => rotate([encryptionKey], on));
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    for (const result of results) {
      if (result.status === "rejected") assert.equal(result.reason.name, "KeyChangeRefusedError");
    }
    assert.deepEqual(await states(), ["signing", "published"]);
  });

  it("encrypts the new key with the encryption key that the services use now", async () => {
    await rotate([other, encryptionKey]);
    for (const { keyId, sealedKey } of (await read()).keys) {
      assert.ok(sealedKey);
      assert.ok(unsealSigningKey(keyId, sealedKey, [encryptionKey]).length > 0);
    }
  });

  it("is refused without the encryption key of the services", async () => {
    await assert.rejects(rotate([other]), { name: "SealedKeyError" });
    assert.deepEqual(await states(), ["signing"]);
  });

  it("makes the first key, which signs at once", async () => {
    await pool.query("delete from auth.signing_keys");
    await rotate();
    assert.deepEqual(await states(), ["signing"]);
  });
});

describe("a withdrawal in the database", () => {
  it("denies the key for ever, lets another sign at once, and erases the private key", async () => {
    const keyId = await signer();
    const { changed } = await withdraw(keyId);
    assert.equal(changed.length, 2);
    assert.deepEqual(await states(), ["withdrawn", "signing"]);
    assert.deepEqual(await deniedKeys(), [{ kind: "kid", value: keyId, expires_at: null }]);
    const { keys } = await read();
    assert.equal(keys.find((key) => key.keyId === keyId)?.sealedKey, undefined);
    assert.ok(keys.find((key) => key.keyId !== keyId)?.sealedKey);
  });

  it("withdraws waiting, retired and removed keys", async () => {
    const keyId = await signer();
    const { changed } = await rotate();
    await withdraw(changed.at(-1)?.keyId ?? "");
    assert.deepEqual(await states(), ["signing", "withdrawn"]);
    await rotate();
    await passTime(pool, publicationMs / 1000);
    await withdraw(keyId);
    assert.deepEqual(await states(), ["withdrawn", "withdrawn", "signing"]);
    const last = await signer();
    await rotate();
    await passTime(pool, 8000);
    await withdraw(last);
    assert.deepEqual((await states()).slice(2), ["withdrawn", "signing"]);
    assert.equal((await deniedKeys()).length, 3);
  });

  it("happens once if many request it at the same time", async () => {
    const keyId = await signer();
    const results = await race((on) => withdraw(keyId, [encryptionKey], on));
    assert.ok(results.every(({ status }) => status === "fulfilled"));
    assert.deepEqual(await states(), ["withdrawn", "signing"]);
    assert.equal((await deniedKeys()).length, 1);
  });

  it("and a concurrent rotation leave exactly one key that signs", async () => {
    const keyId = await signer();
    let count = 0;
    await race((on) => {
      count += 1;
      return count % 2 === 0 ? rotate([encryptionKey], on) : withdraw(keyId, [encryptionKey], on);
    });
    const now = await states();
    assert.equal(now.filter((state) => state === "signing").length, 1);
    assert.ok(now.filter((state) => state === "published").length <= 1);
    await passTime(pool, publicationMs / 1000);
    assert.equal((await states()).filter((state) => state === "signing").length, 1);
  });

  it("happens completely or not at all", async () => {
    const keyId = await signer();
    await withdraw(keyId);
    await pool.query("alter table denylist.entries add check (value = 'x') not valid");
    const second = await signer();
    await assert.rejects(withdraw(second), /check/);
    assert.equal(await signer(), second);
    assert.deepEqual(await states(), ["withdrawn", "signing"]);
  });

  it("works when the encryption key is lost, and uses the new one from then on", async () => {
    const keyId = await signer();
    await withdraw(keyId, [other]);
    await prepareSigningKeys({ pool, encryptionKeys: [other], logger: silentLogger });
    await rotate([other]);
  });

  it("of an unknown key changes nothing", async () => {
    await assert.rejects(withdraw("no such key"), { name: "KeyChangeRefusedError" });
    assert.deepEqual(await states(), ["signing"]);
    assert.deepEqual(await deniedKeys(), []);
  });
});

it("the database allows only one key without a retirement time", async () => {
  const insert = pool.query(
    "insert into auth.signing_keys (key_id, public_key_pem) values ('x', 'x')",
  );
  await assert.rejects(insert, /signing_keys_last_in_line/);
});
