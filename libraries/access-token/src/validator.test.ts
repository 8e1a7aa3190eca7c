import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { audience, issuer, signingKey, signToken } from "../testing/tokens.ts";
import { staticKeySet } from "./key-set/key-set.ts";
import { createAccessTokenValidator } from "./validator.ts";

const keySet = staticKeySet({ keys: [signingKey.jwk] });

describe("making a validator", () => {
  it("throws for empty texts", () => {
    assert.throws(() => createAccessTokenValidator({ issuer: "", audience, keySet }), TypeError);
    assert.throws(() => createAccessTokenValidator({ issuer, audience: "", keySet }), TypeError);
  });

  for (const seconds of [-1, 60.5, 61, Number.NaN, Number.POSITIVE_INFINITY, "60"]) {
    it(`throws for a clock tolerance of ${JSON.stringify(seconds)} s`, () => {
      const clockToleranceSeconds = seconds as number;
      assert.throws(
        () => createAccessTokenValidator({ issuer, audience, keySet, clockToleranceSeconds }),
        TypeError,
      );
    });
  }
});

describe("a validator", () => {
  it("is not affected by later changes to its options", async () => {
    const options = { issuer, audience, keySet, now: () => 1_767_225_600_000 };
    const validator = createAccessTokenValidator(options);
    options.audience = "other";
    options.now = () => 0;
    await validator.validate(await signToken());
    assert.throws(() => Object.assign(validator, { validate: () => "anything" }), TypeError);
  });

  it("can be passed around as a function", async () => {
    const { validate } = createAccessTokenValidator({ issuer, audience, keySet });
    await assert.rejects(validate("x"), { reason: "TOKEN_MALFORMED" });
  });
});
