import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { audience, issuer, signingKey, signToken } from "../test-support/tokens.ts";
import type { AccessToken } from "./access-token.ts";
import { staticKeySet } from "./static-key-set.ts";
import { createAccessTokenValidator } from "./validator.ts";

const keySet = staticKeySet({ keys: [signingKey.jwk] });

describe("making a validator", () => {
  it("does not compile, and throws, without what decides security", () => {
    // @ts-expect-error: without an issuer, it would accept tokens of anyone with a key.
    assert.throws(() => createAccessTokenValidator({ audience, keySet }), TypeError);
    // @ts-expect-error: without an audience, it would accept tokens meant for others.
    assert.throws(() => createAccessTokenValidator({ issuer, keySet }), TypeError);
    // @ts-expect-error: without keys, it could not verify anything.
    assert.throws(() => createAccessTokenValidator({ issuer, audience }), TypeError);
    // @ts-expect-error: one audience is ours; a list would be tokens meant for others again.
    assert.throws(() => createAccessTokenValidator({ issuer, audience: [], keySet }), TypeError);
    assert.throws(
      // @ts-expect-error: an absent setting must not become "any audience".
      () => createAccessTokenValidator({ issuer, audience: undefined, keySet }),
      /^TypeError: Cannot make a validator: option audience must be a non-empty string$/,
    );
    // @ts-expect-error: there is no algorithm to choose.
    createAccessTokenValidator({ issuer, audience, keySet, algorithms: ["none"] });
  });

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
  it("keeps to what it was made with", async () => {
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

describe("an accepted token", () => {
  it("neither compiles nor runs when changed", async () => {
    const now = () => 1_767_225_600_000;
    const token = await createAccessTokenValidator({ issuer, audience, keySet, now }).validate(
      await signToken({ authorization_details: [{ type: "bucket" }] }),
    );
    const changes = [
      // @ts-expect-error
      () => (token.subject = "someone else"),
      // @ts-expect-error
      () => token.scopes.add("admin"),
      // @ts-expect-error
      () => token.audience.push("other"),
      // @ts-expect-error
      () => token.actors.push({ subject: "someone else" }),
      // @ts-expect-error
      () => token.authorizationDetails?.pop(),
    ];
    for (const change of changes) assert.throws(change, TypeError);
  });

  it("does not compile where an absent claim is taken for a present one", async () => {
    const uses = (token: AccessToken) => {
      // @ts-expect-error: absent details limit nothing, empty ones are none.
      token.authorizationDetails.length;
      // @ts-expect-error: a token can be without an organisation.
      token.organisationId.length;
    };
    assert.equal(typeof uses, "function");
  });
});
