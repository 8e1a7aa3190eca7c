/** Wrong uses do not compile, and also throw at run time. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { audience, claims, forge, issuer, signingKey, validator } from "../testing/tokens.ts";
import {
  type AccessToken,
  createAccessTokenValidator,
  memoryDenylist,
  readBearerToken,
  refusalMessages,
  remoteKeySet,
  requireScope,
  staticKeySet,
  type TokenRefusalReason,
  TokenRefusedError,
  wwwAuthenticate,
} from "./index.ts";
import { parseToken, type UnverifiedToken } from "./parse-token.ts";

const keySet = staticKeySet({ keys: [signingKey.jwk] });
const options = { issuer, audience, keySet };
const make = createAccessTokenValidator;

describe("making a validator", () => {
  it("does not compile, and throws, without what decides security", () => {
    // @ts-expect-error: without anything.
    assert.throws(() => make(), TypeError);
    // @ts-expect-error: without an issuer, it would accept tokens of anyone with a key.
    assert.throws(() => make({ audience, keySet }), TypeError);
    // @ts-expect-error: without an audience, it would accept tokens meant for others.
    assert.throws(() => make({ issuer, keySet }), TypeError);
    // @ts-expect-error: without keys, it could not verify anything.
    assert.throws(() => make({ issuer, audience }), TypeError);
  });

  it("does not compile, and throws, with a setting that may be absent", () => {
    const absent = process.env.NO_SUCH_SETTING;
    assert.throws(
      // @ts-expect-error: it must not become "any audience".
      () => make({ ...options, audience: absent }),
      /^TypeError: Cannot make a validator: option audience must be a non-empty string$/,
    );
    assert.throws(
      // @ts-expect-error: nor "any issuer".
      () => make({ ...options, issuer: absent }),
      /^TypeError: Cannot make a validator: option issuer must be a non-empty string$/,
    );
  });

  it("does not compile, and throws, with what is more or less than one of each", () => {
    // @ts-expect-error: one audience is ours; a list would be tokens meant for others again.
    assert.throws(() => make({ ...options, audience: [audience] }), TypeError);
    // @ts-expect-error: one issuer has these keys.
    assert.throws(() => make({ ...options, issuer: [issuer] }), TypeError);
    // @ts-expect-error: compared, never matched.
    assert.throws(() => make({ ...options, issuer: /auth/ }), TypeError);
    // @ts-expect-error: null is no audience.
    assert.throws(() => make({ ...options, audience: null }), TypeError);
    // @ts-expect-error: keys are found by kid, so that one can be withdrawn.
    assert.throws(() => make({ ...options, keySet: "-----BEGIN PUBLIC KEY-----" }), TypeError);
    // @ts-expect-error: a set as published is made a key set first, which looks at it.
    assert.throws(() => make({ ...options, keySet: { keys: [] } }), TypeError);
    // @ts-expect-error: a text is no number of seconds.
    assert.throws(() => make({ ...options, clockToleranceSeconds: "60" }), TypeError);
    assert.throws(() => make({ ...options, expiryToleranceSeconds: 61 }), TypeError);
    // @ts-expect-error: nor is a time a clock.
    assert.throws(() => make({ ...options, now: 0 }), TypeError);
  });

  it("does not compile, and throws, with options there are not", () => {
    // @ts-expect-error: there is no algorithm to choose.
    assert.throws(() => make({ ...options, algorithms: ["none"] }), TypeError);
    // @ts-expect-error: nor are there checks to leave out.
    assert.throws(() => make({ ...options, ignoreExpiration: true }), TypeError);
    assert.throws(
      // @ts-expect-error: misspelt, it would let revoked tokens in.
      () => make({ ...options, denyList: memoryDenylist() }),
      /^TypeError: Cannot make a validator: there is no option denyList$/,
    );
    // @ts-expect-error: nor would anyone notice that these bounds do not hold.
    assert.throws(() => make({ ...options, cache: { maxEntries: 10 } }), TypeError);
    // @ts-expect-error
    assert.throws(() => memoryDenylist({ clock: Date.now }), TypeError);
  });
});

describe("making a key set", () => {
  it("does not compile, and throws, from what is no key set", () => {
    // @ts-expect-error: one key is not a set.
    assert.throws(() => staticKeySet(signingKey.jwk), TypeError);
    // @ts-expect-error: a key without kid could never be found.
    assert.throws(() => staticKeySet({ keys: ["-----BEGIN PUBLIC KEY-----"] }), TypeError);
    // @ts-expect-error: from whom?
    assert.throws(() => remoteKeySet({}), TypeError);
    assert.throws(
      // @ts-expect-error: misspelt, it would leave withdrawn keys in use.
      () => remoteKeySet({ issuer, maxAge: 60_000 }),
      /^TypeError: Cannot make a key set: there is no option maxAge$/,
    );
  });
});

describe("validating", () => {
  it("does not compile without a token, and is refused", async () => {
    // @ts-expect-error: there is nothing to validate.
    await assert.rejects(validator.validate(), { reason: "TOKEN_MALFORMED" });
    // @ts-expect-error: a header that may be absent is read first.
    await assert.rejects(validator.validate(undefined), { reason: "TOKEN_MALFORMED" });
    // @ts-expect-error: a server can hand over several headers.
    assert.throws(() => readBearerToken(["Bearer a", "Bearer b"]), { status: 400 });
  });

  it("does not compile where its promise is taken for the token", async () => {
    const promise = validator.validate(forge({}));
    // @ts-expect-error: a promise has no subject, and comparing it must not pass for a check.
    assert.equal(promise.subject, undefined);
    // @ts-expect-error: a scope is required of a token.
    assert.throws(() => requireScope(promise, claims.scope), TypeError);
    assert.equal((await promise).subject, claims.sub);
  });

  it("does not compile without a scope to require, and throws", async () => {
    const token = await validator.validate(forge({}));
    // @ts-expect-error: no scope is no requirement.
    assert.throws(() => requireScope(token), TypeError);
    // @ts-expect-error: a list would have to say whether any or all.
    assert.throws(() => requireScope(token, [claims.scope]), TypeError);
  });
});

describe("an accepted token", () => {
  it("neither compiles nor runs when changed", async () => {
    const token = await validator.validate(
      forge({
        payload: {
          ...claims,
          authorization_details: [{ type: "bucket", actions: ["read"] }],
          act: { sub: "outer" },
        },
      }),
    );
    const changes = [
      // @ts-expect-error
      () => (token.subject = "someone else"),
      // @ts-expect-error
      () => (token.organisationId = "another"),
      // @ts-expect-error
      () => (token.scopes = new Set(["admin"])),
      // @ts-expect-error
      () => (token.expiresAt += 3600),
      // @ts-expect-error
      () => (token.admin = true),
      // @ts-expect-error
      () => delete token.sessionId,
      // @ts-expect-error
      () => token.scopes.add("admin"),
      // @ts-expect-error
      () => token.scopes.delete(claims.scope),
      // @ts-expect-error
      () => token.scopes.clear(),
      // @ts-expect-error
      () => token.audience.push("other"),
      // @ts-expect-error
      () => (token.audience[0] = "other"),
      // @ts-expect-error
      () => token.actors.push({ subject: "someone else" }),
      // @ts-expect-error
      () => (token.actors[0]!.subject = "someone else"),
      // @ts-expect-error
      () => token.authorizationDetails!.pop(),
      // @ts-expect-error
      () => (token.authorizationDetails![0]!.type = "other"),
      () => (token.authorizationDetails![0]!.actions as string[]).push("write"),
    ];
    for (const change of changes) assert.throws(change, TypeError, String(change));
  });

  it("does not compile where an absent claim is taken for a present one", async () => {
    const uses = (token: AccessToken) => {
      // @ts-expect-error: absent details limit nothing, empty ones are none.
      token.authorizationDetails.length;
      // @ts-expect-error: a token can be without an organisation.
      token.organisationId.length;
      // @ts-expect-error: or without a session.
      token.sessionId.length;
      // @ts-expect-error: or without an actor.
      token.actors[0].subject;
    };
    const token = await validator.validate(forge({}));
    assert.throws(() => uses(token), TypeError);
  });

  it("does not compile where another kind of subject is looked for", async () => {
    const { subjectKind } = await validator.validate(forge({}));
    // @ts-expect-error: there are users and service accounts.
    assert.equal(subjectKind === "admin", false);
  });
});

describe("a reason", () => {
  it("does not compile when there is none of that name", () => {
    const { reason } = new TokenRefusedError("TOKEN_EXPIRED", "");
    // @ts-expect-error: a misspelt reason would never be met.
    assert.equal(reason === "TOKEN_EXPIRD", false);
    // @ts-expect-error
    assert.equal(refusalMessages.TOKEN_EXPIRD, undefined);
    // @ts-expect-error
    const misspelt: TokenRefusalReason = "token_expired";
    assert.equal(Object.hasOwn(refusalMessages, misspelt), false);
    // @ts-expect-error: a challenge names one of the errors of RFC 6750.
    const challenge = wwwAuthenticate("TOKEN_EXPIRD");
    assert.doesNotMatch(challenge, /EXPIRD|undefined/);
  });

  it("cannot be changed: not in the table, and by no mistake in the error", () => {
    assert.throws(() => {
      // @ts-expect-error
      refusalMessages.SCOPE_MISSING = "";
    }, TypeError);
    const error = new TokenRefusedError("SCOPE_MISSING", "");
    // @ts-expect-error
    error.reason = "TOKEN_EXPIRED";
    // @ts-expect-error
    error.status = 200;
  });
});

describe("what has not been verified", () => {
  it("says so in its name", () => {
    const parsed: UnverifiedToken = parseToken(forge({}));
    // @ts-expect-error
    assert.equal(parsed.header, undefined);
    // @ts-expect-error
    assert.equal(parsed.payload, undefined);
    // @ts-expect-error: its claims are bytes that are not parsed yet.
    assert.equal(parsed.unverifiedPayload.sub, undefined);
    assert.deepEqual(Object.keys(parsed), [
      "unverifiedHeader",
      "unverifiedPayload",
      "unverifiedText",
      "unverifiedSignature",
    ]);
  });

  it("is not a token that anything is granted to", () => {
    const { unverifiedHeader } = parseToken(forge({}));
    // @ts-expect-error
    assert.throws(() => requireScope(unverifiedHeader, claims.scope), TypeError);
  });
});
