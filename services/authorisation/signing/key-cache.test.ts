import assert from "node:assert/strict";
import { randomBytes, sign, verify } from "node:crypto";
import { before, describe, it } from "node:test";
import { encryptionKeyOf, seal } from "@stowage/process";
import { generateSigningKey, type KeyPair } from "../model/signing-key.ts";
import type { StoredKey } from "../store/signing-keys.ts";
import { KeyCache } from "./key-cache.ts";

const encryptionKey = encryptionKeyOf(randomBytes(32));
const readAtMs = 1_800_000_000_000;
let pairs: [KeyPair, KeyPair];
before(async () => {
  pairs = await Promise.all([generateSigningKey(), generateSigningKey()]);
});

/** A key that signs for this stretch of time, in seconds from when the keys are read. */
function stored(pair: KeyPair, from: number, to?: number): StoredKey {
  const { keyId, publicKeyPem, privateKeyDer } = pair;
  const createdAtMs = readAtMs - 7_200_000;
  return {
    keyId,
    publicKeyPem,
    createdAtMs,
    signsFromMs: readAtMs + from * 1000,
    retiredAtMs: to === undefined ? undefined : readAtMs + to * 1000,
    withdrawnAtMs: undefined,
    sealedKey: seal(keyId, privateKeyDer, encryptionKey),
  };
}

function cacheOf(keys: StoredKey[], encryptionKeys = [encryptionKey]) {
  const clock = { seconds: 50 };
  const cache = new KeyCache(encryptionKeys, () => clock.seconds * 1000);
  const problems = cache.replace({ keys, nowMs: readAtMs });
  return { cache, clock, problems };
}

describe("the keys that a process holds", () => {
  it("change by their times, without another read", () => {
    const [one, two] = pairs;
    const { cache, clock, problems } = cacheOf([stored(one, -60, 30), stored(two, 30)]);
    assert.deepEqual(problems, []);
    const ids = () => cache.published.map(({ kid }) => kid);
    for (const [seconds, current, published] of [
      [50, one, [two, one]],
      [79.999, one, [two, one]],
      [80, two, [two, one]],
      [80 + 3899.999, two, [two, one]],
      [80 + 3900, two, [two]],
    ] as const) {
      clock.seconds = seconds;
      assert.equal(cache.current?.keyId, current.keyId, `${seconds} s`);
      assert.deepEqual(
        ids(),
        published.map(({ keyId }) => keyId),
        `${seconds} s`,
      );
    }
    assert.equal(cache.ageMs, 3_930_000);
  });

  it("sign what their published half verifies", () => {
    const [one] = pairs;
    const { cache } = cacheOf([stored(one, 0)]);
    const data = Buffer.from("to be signed");
    assert.ok(cache.current?.privateKey);
    const signature = sign("sha256", data, cache.current.privateKey);
    const [key] = cache.published;
    assert.ok(verify("sha256", data, { key: { ...key }, format: "jwk" }, signature));
    assert.deepEqual(Object.keys(key ?? {}), ["kty", "use", "alg", "kid", "e", "n"]);
  });

  it("are published even if they cannot be decrypted, which it reports", () => {
    const [one, two] = pairs;
    const wrong = [encryptionKeyOf(randomBytes(32))];
    const { cache, problems } = cacheOf([stored(one, -60, 30), stored(two, 30)], wrong);
    assert.equal(problems.length, 2);
    assert.match(problems[0] ?? "", new RegExp(`^Cannot decrypt signing key ${one.keyId}: `));
    assert.equal(cache.published.length, 2);
    assert.equal(cache.current?.privateKey, undefined);
  });

  it("need no private key once they are retired", () => {
    const [one, two] = pairs;
    const retired = { ...stored(one, -60, -30), sealedKey: undefined };
    const { cache, problems } = cacheOf([retired, stored(two, -30)]);
    assert.deepEqual(problems, []);
    assert.equal(cache.published.length, 2);
    assert.equal(cache.find(one.keyId)?.privateKey, undefined);
  });

  it("are dropped when they are no longer read", () => {
    const [one, two] = pairs;
    const { cache } = cacheOf([stored(one, -60)]);
    cache.replace({ keys: [stored(two, 0)], nowMs: readAtMs });
    assert.equal(cache.current?.keyId, two.keyId);
    assert.equal(cache.find(one.keyId), undefined);
    assert.deepEqual(
      cache.published.map(({ kid }) => kid),
      [two.keyId],
    );
  });

  it("are none before the first read", () => {
    const cache = new KeyCache([encryptionKey], () => 0);
    assert.equal(cache.current, undefined);
    assert.deepEqual(cache.published, []);
    assert.equal(cache.ageMs, Number.POSITIVE_INFINITY);
  });
});
