import assert from "node:assert/strict";
import type { KeyObject } from "node:crypto";
import { describe, it } from "node:test";
import { makeSigningKey } from "../testing/signing-key.ts";
import { audience, issuer, nowSeconds, signingKey, signToken } from "../testing/tokens.ts";
import { memoryDenylist } from "./denylist/memory-denylist.ts";
import { type KeySet, staticKeySet } from "./key-set/key-set.ts";
import { clockToleranceSecondsDefault } from "./limits.ts";
import { TokenRefusedError } from "./token-refused-error.ts";
import { type AccessTokenValidatorOptions, createAccessTokenValidator } from "./validator.ts";

/** A key set that counts how often a key is requested to verify a signature. */
function countingKeySet(jwk: object = signingKey.jwk) {
  const counting = {
    keys: staticKeySet({ keys: [jwk] }),
    verifications: 0,
    get: (keyId: string): KeyObject | undefined => counting.keys.get(keyId),
    getOrFetch: (keyId: string): KeyObject | Promise<KeyObject> => {
      counting.verifications++;
      return counting.keys.getOrFetch(keyId);
    },
  };
  return counting;
}

function validatorWith(keySet: KeySet, options: Partial<AccessTokenValidatorOptions> = {}) {
  const now = () => nowSeconds * 1000;
  return createAccessTokenValidator({ issuer, audience, keySet, now, ...options });
}

describe("a token that is sent again", () => {
  it("counts as a hit of the cache", async () => {
    const validator = validatorWith(countingKeySet());
    const token = await signToken();
    assert.deepEqual(validator.cacheStatistics(), { hits: 0, misses: 0, entries: 0 });
    await validator.validate(token);
    await validator.validate(token);
    await assert.rejects(validator.validate("no token"));
    assert.deepEqual(validator.cacheStatistics(), { hits: 1, misses: 2, entries: 1 });
    const withoutCache = validatorWith(countingKeySet(), { cache: false });
    await withoutCache.validate(token);
    assert.deepEqual(withoutCache.cacheStatistics(), { hits: 0, misses: 0, entries: 0 });
  });

  it("is verified once, with the same claims", async () => {
    const keySet = countingKeySet();
    const validator = validatorWith(keySet);
    const token = await signToken();
    const first = await validator.validate(token);
    // As from another request: the same text in another place.
    const again = await validator.validate(Buffer.from(token).toString());
    assert.equal(keySet.verifications, 1);
    assert.equal(again, first);
  });

  it("is verified every time without a cache", async () => {
    const keySet = countingKeySet();
    const validator = validatorWith(keySet, { cache: false });
    const token = await signToken();
    await validator.validate(token);
    await validator.validate(token);
    assert.equal(keySet.verifications, 2);
  });

  it("is refused from its exp on, and before its nbf when the clock is set back", async () => {
    let nowMs = nowSeconds * 1000;
    const validator = validatorWith(countingKeySet(), { now: () => nowMs });
    const token = await signToken({ exp: nowSeconds + 10 });
    await validator.validate(token);
    nowMs += 9_999;
    await validator.validate(token);
    nowMs += 1;
    await assert.rejects(validator.validate(token), { reason: "TOKEN_EXPIRED" });
    nowMs = (nowSeconds - clockToleranceSecondsDefault) * 1000 - 1;
    await assert.rejects(validator.validate(token), { reason: "TOKEN_NOT_YET_VALID" });
  });

  it("is refused once it is revoked", async () => {
    const denylist = memoryDenylist();
    const validator = validatorWith(countingKeySet(), { denylist });
    const token = await signToken({ jti: "one" });
    const other = await signToken({ jti: "two" });
    await validator.validate(token);
    await denylist.add({ kind: "jti", value: "one" });
    await assert.rejects(validator.validate(token), { reason: "TOKEN_REVOKED", status: 401 });
    await validator.validate(other);
  });

  it("is verified again under another key with the same kid", async () => {
    const keySet = countingKeySet();
    const validator = validatorWith(keySet);
    const token = await signToken();
    await validator.validate(token);
    keySet.keys = staticKeySet({ keys: [makeSigningKey(signingKey.keyId).jwk] });
    await assert.rejects(validator.validate(token), { reason: "SIGNATURE_INVALID" });
  });

  it("is refused once its key is withdrawn", async () => {
    const keySet = countingKeySet();
    const validator = validatorWith(keySet);
    const token = await signToken();
    await validator.validate(token);
    keySet.keys = staticKeySet({ keys: [makeSigningKey("another").jwk] });
    await assert.rejects(validator.validate(token), { reason: "KEY_UNKNOWN" });
  });

  it("is refused when the key set no longer knows whether its key is valid", async () => {
    const keySet = countingKeySet();
    const validator = validatorWith(keySet);
    const token = await signToken();
    await validator.validate(token);
    keySet.get = keySet.getOrFetch = () => {
      throw new Error("out of order");
    };
    await assert.rejects(validator.validate(token), { reason: "KEY_SET_UNAVAILABLE" });
  });

  it("is not remembered when it was refused", async () => {
    const keySet = countingKeySet();
    const validator = validatorWith(keySet);
    const expired = await signToken({ exp: nowSeconds });
    for (let time = 0; time < 2; time++) await assert.rejects(validator.validate(expired));
    assert.equal(keySet.verifications, 2);
  });

  it("is not confused with one that differs in a single character", async () => {
    const validator = validatorWith(countingKeySet());
    const token = await signToken();
    await validator.validate(token);
    for (let at = 0; at < token.length; at += 7) {
      const other = token[at] === "A" ? "B" : "A";
      const changed = `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
      await assert.rejects(validator.validate(changed), TokenRefusedError);
    }
  });
});

describe("making a validator", () => {
  it("throws for a cache out of bounds", () => {
    for (const cache of [{ entriesMax: 1 }, { entriesMax: 2.5 }, { bytesMax: 1000 }, true, null]) {
      assert.throws(() => validatorWith(countingKeySet(), { cache: cache as object }), {
        name: "TypeError",
        message: /^Cannot make a validator: option cache/,
      });
    }
  });

  it("throws for an invalid denylist", () => {
    assert.throws(() => validatorWith(countingKeySet(), { denylist: {} as never }), TypeError);
  });
});
