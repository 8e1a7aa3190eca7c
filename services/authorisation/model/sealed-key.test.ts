import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { encryptionKeyOf, seal } from "@stowage/process";
import { SealedKeyError, unsealSigningKey } from "./sealed-key.ts";

const secret = randomBytes(32);
const encryptionKey = encryptionKeyOf(secret);
const other = encryptionKeyOf(randomBytes(32));
const privateKey = Buffer.from("a private key, or any other text");

describe("a sealed key", () => {
  it("is decrypted with the key that encrypted it, one of several", () => {
    const sealed = seal("k1", privateKey, encryptionKey);
    assert.deepEqual(unsealSigningKey("k1", sealed, [encryptionKey]), privateKey);
    assert.deepEqual(unsealSigningKey("k1", sealed, [other, encryptionKey]), privateKey);
    assert.ok(!sealed.bytes.includes(privateKey.subarray(0, 8)));
  });

  it("is different every time", () => {
    const texts = Array.from({ length: 50 }, () => seal("k1", privateKey, encryptionKey).bytes);
    const nonces = new Set(texts.map((bytes) => bytes.subarray(0, 12).toString("hex")));
    assert.equal(nonces.size, 50);
  });

  it("is not decrypted with another key, and the message names both by their IDs only", () => {
    const sealed = seal("k1", privateKey, encryptionKey);
    assert.throws(() => unsealSigningKey("k1", sealed, [other]), {
      name: "SealedKeyError",
      message:
        `Cannot decrypt signing key k1: KEY_ENCRYPTION_KEY is ${other.id}, need ` +
        `${encryptionKey.id}, which it was encrypted with; if that is lost, ` +
        `"stowage keys withdraw k1" makes another signing key`,
    });
    assert.throws(() => unsealSigningKey("k1", sealed, []), /is none, need /);
    // Even if the IDs were the same.
    const lookalike = { ...other, id: encryptionKey.id };
    assert.throws(() => unsealSigningKey("k1", sealed, [lookalike]), SealedKeyError);
  });

  it("is not decrypted in another key's row", () => {
    const sealed = seal("k1", privateKey, encryptionKey);
    assert.throws(() => unsealSigningKey("k2", sealed, [encryptionKey]), /k2: its row was changed/);
  });

  it("is not decrypted if any byte was changed, added or removed", () => {
    const sealed = seal("k1", privateKey, encryptionKey);
    const refuse = (bytes: Buffer) =>
      assert.throws(
        () => unsealSigningKey("k1", { ...sealed, bytes }, [encryptionKey]),
        SealedKeyError,
      );
    for (const index of sealed.bytes.keys()) {
      const changed = Buffer.from(sealed.bytes);
      changed[index] = (changed[index] ?? 0) ^ (1 << (index % 8));
      refuse(changed);
      refuse(sealed.bytes.subarray(0, index));
      refuse(sealed.bytes.subarray(index + 1));
    }
    refuse(Buffer.concat([sealed.bytes, Buffer.of(0)]));
  });
});

it("the ID of an encryption key reveals nothing about it", () => {
  const shown = inspect(encryptionKey, { depth: 9 }) + JSON.stringify(encryptionKey);
  for (const form of ["hex", "base64", "base64url"] as const) {
    assert.ok(!shown.includes(secret.toString(form).slice(0, 16)));
  }
  assert.match(encryptionKey.id, /^[0-9a-f]{16}$/);
  assert.equal(encryptionKeyOf(secret).id, encryptionKey.id);
  assert.notEqual(other.id, encryptionKey.id);
});
