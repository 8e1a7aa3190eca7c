import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeSigningKey } from "../../testing/signing-key.ts";
import type { JsonValue } from "../parse-json.ts";
import { staticKeySet } from "./key-set.ts";
import { readKeySet } from "./read-key-set.ts";

const { jwk } = makeSigningKey("good");
const { jwk: other } = makeSigningKey("other");
const bits = (count: number) => ({ ...makeSigningKey("weak", count).jwk });
/** A modulus that is not the product of primes, but long enough. */
const bytes = (count: number, fill: number) => Buffer.alloc(count, fill).toString("base64url");

function keyIds(...keys: unknown[]): string[] {
  return [...readKeySet({ keys } as JsonValue).keys()];
}

const skipped: Record<string, unknown> = {
  "without kid": { ...jwk, kid: undefined },
  "with kid empty": { ...jwk, kid: "" },
  "with kid a number": { ...jwk, kid: 7 },
  "with kid too long": { ...jwk, kid: "k".repeat(257) },
  "without kty": { ...jwk, kty: undefined },
  "with kty rsa": { ...jwk, kty: "rsa" },
  "with kty oct": { kty: "oct", kid: "x", k: "AAAA" },
  "of an elliptic curve": { kty: "EC", kid: "x", crv: "P-256", x: "AA", y: "AA" },
  "for encryption": { ...jwk, kid: "x", use: "enc" },
  "with use null": { ...jwk, kid: "x", use: null },
  "with use in an array": { ...jwk, kid: "x", use: ["sig"] },
  "for PS256": { ...jwk, kid: "x", alg: "PS256" },
  "for RS512": { ...jwk, kid: "x", alg: "RS512" },
  "with alg empty": { ...jwk, kid: "x", alg: "" },
  "for signing only": { ...jwk, kid: "x", key_ops: ["sign"] },
  "with key_ops empty": { ...jwk, kid: "x", key_ops: [] },
  "with key_ops a string": { ...jwk, kid: "x", key_ops: "verify" },
  "of 1024 bits": bits(1024),
  "of 2040 bits": bits(2040),
  "of over 16384 bits": { ...jwk, kid: "x", n: bytes(2049, 0xff) },
  "with the exponent 1": { ...jwk, kid: "x", e: "AQ" },
  "with an even exponent": { ...jwk, kid: "x", e: "AQAA" },
  "with an exponent as long as the modulus": { ...jwk, kid: "x", e: bytes(255, 0xff) },
  "without n": { ...jwk, kid: "x", n: undefined },
  "without e": { ...jwk, kid: "x", e: undefined },
  "with n empty": { ...jwk, kid: "x", n: "" },
  "with e empty": { ...jwk, kid: "x", e: "" },
  "with n a number": { ...jwk, kid: "x", n: 7 },
  "that is null": null,
  "that is a string": "key",
  "that is an array": [jwk],
};

const refused: Record<string, unknown> = {
  "that is null": null,
  "that is an array": [jwk],
  "that is one key": jwk,
  "without keys": {},
  "with keys an object": { keys: { good: jwk } },
  "with no key": { keys: [] },
  "with no usable key": { keys: [{ ...jwk, use: "enc" }] },
  "with two keys under one kid": { keys: [jwk, { ...other, kid: jwk.kid }] },
  "with 33 keys": { keys: Array.from({ length: 33 }, (_, at) => ({ ...jwk, kid: `k${at}` })) },
  "with 33 entries of which one is a key": { keys: [jwk, ...Array.from({ length: 32 }, () => 0)] },
};

describe("a key set", () => {
  it("gives its usable keys by kid", () => {
    const keys = readKeySet({ keys: [jwk, other] });
    assert.deepEqual([...keys.keys()], ["good", "other"]);
    assert.equal(keys.get("good")?.asymmetricKeyDetails?.modulusLength, 2048);
    assert.deepEqual(keys.get("good")?.export({ format: "jwk" }).n, jwk.n);
  });

  it("may lack use, alg and key_ops, and have unknown members", () => {
    const { kty, kid, n, e } = jwk;
    assert.deepEqual(keyIds({ kty, kid, n, e }), ["good"]);
    assert.deepEqual(keyIds({ ...jwk, key_ops: ["verify", "x"], x5c: [], ext: true }), ["good"]);
  });

  it("may have 32 keys", () => {
    assert.equal(
      keyIds(...Array.from({ length: 32 }, (_, at) => ({ ...jwk, kid: `${at}` }))).length,
      32,
    );
  });

  it("may use one kid for a usable key and an unusable one", () => {
    assert.deepEqual(keyIds({ ...other, kid: "good", use: "enc" }, jwk), ["good"]);
  });

  it("may have a key twice, which counts once", () => {
    assert.deepEqual(keyIds(jwk, jwk, { ...jwk, use: undefined }, other), ["good", "other"]);
  });

  it("may have two keys under one kid, of which neither is used", () => {
    const second = { ...other, kid: jwk.kid };
    assert.deepEqual(keyIds(jwk, second, other), ["other"]);
    assert.deepEqual(keyIds(other, second, jwk, second), ["other"]);
  });

  it("may publish a private key by mistake: only its public half is read", () => {
    const { n, e } = jwk;
    const secrets = makeSigningKey("good").privateKey.export({ format: "jwk" });
    for (const entry of [
      { ...secrets, ...jwk },
      { ...jwk, d: "AAAA", p: "AAAA" },
    ]) {
      const keys: unknown[] = [entry];
      const key = readKeySet({ keys } as JsonValue).get("good");
      assert.equal(key?.type, "public");
      assert.deepEqual(key.export({ format: "jwk" }), { kty: "RSA", n, e });
    }
  });

  it("may pad its numbers, and begin them with a zero", () => {
    const withZero = Buffer.concat([Buffer.alloc(1), Buffer.from(jwk.n, "base64url")]);
    assert.deepEqual(keyIds({ ...jwk, n: withZero.toString("base64"), e: "AAEAAQ==" }), ["good"]);
  });

  it("takes little time for numbers that no key has", () => {
    const huge = Array.from({ length: 30 }, () => ({ ...jwk, kid: "x", e: bytes(36_000, 0xff) }));
    const { user: before } = process.cpuUsage();
    assert.deepEqual(keyIds(...huge, { ...jwk, kid: "x", n: bytes(48_000, 0xff) }, jwk), ["good"]);
    const busyMs = (process.cpuUsage().user - before) / 1000;
    assert(busyMs < 1_000, `busy for ${busyMs} ms`);
  });

  for (const [description, entry] of Object.entries(skipped)) {
    it(`may hold a key ${description}, which is skipped`, () => {
      assert.deepEqual(keyIds(entry, other), ["other"]);
    });
  }

  for (const [description, keySet] of Object.entries(refused)) {
    it(`${description} is refused`, () => {
      assert.throws(() => readKeySet(keySet as JsonValue), /^Error: the key set has /);
    });
  }
});

describe("staticKeySet", () => {
  it("finds its keys and knows no others", () => {
    const keySet = staticKeySet({ keys: [jwk] });
    assert.equal((keySet.getOrFetch("good") as { type: string }).type, "public");
    assert.throws(() => keySet.getOrFetch("other"), { reason: "KEY_UNKNOWN" });
    assert.throws(() => keySet.getOrFetch("__proto__"), { reason: "KEY_UNKNOWN" });
  });

  it("throws a TypeError for a set that cannot be used", () => {
    assert.throws(() => staticKeySet({ keys: [] }), {
      name: "TypeError",
      message: "Cannot make a key set: the key set has no usable key",
    });
  });
});
