import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  audience,
  claims,
  issuer,
  nowSeconds,
  signingKey,
  signToken,
  validator,
} from "../testing/tokens.ts";
import type { AccessToken } from "./access-token.ts";
import { staticKeySet } from "./key-set/key-set.ts";
import { createAccessTokenValidator } from "./validator.ts";

const everything = {
  ...claims,
  aud: ["other", audience],
  scope: "upl:bucket:read service_account",
  azp: "portal",
  "urn:svc:auth:organisation_id": "organisation-1",
  "urn:svc:auth:application_id": "application-1",
  "urn:svc:auth:authorisation_id": "authorisation-1",
  authorization_details: [
    { type: "bucket", identifier: "b", actions: ["read"], locations: ["/a"], nested: { a: [{}] } },
    { type: "other" },
  ],
  act: { sub: "outer", client_id: "ignored", act: { sub: "inner" } },
  sid: "session-1",
};

function validatorWith(options: {
  clockToleranceSeconds?: number;
  expiryToleranceSeconds?: number;
  now?: () => number;
}) {
  const keySet = staticKeySet({ keys: [signingKey.jwk] });
  return createAccessTokenValidator({ issuer, audience, keySet, ...options });
}

describe("an accepted token", () => {
  it("has all values of its claims", async () => {
    const { scopes, ...token } = await validator.validate(await signToken(everything));
    assert.deepEqual([...scopes], ["upl:bucket:read", "service_account"]);
    assert.deepEqual(token, {
      subject: "urn:svc:user:7",
      subjectKind: "service_account",
      organisationId: "organisation-1",
      applicationId: "application-1",
      authorisationId: "authorisation-1",
      clientId: claims.client_id,
      authorizedParty: "portal",
      audience: ["other", audience],
      issuedAt: nowSeconds,
      notBefore: nowSeconds,
      expiresAt: nowSeconds + 3600,
      tokenId: claims.jti,
      authorizationDetails: everything.authorization_details,
      actors: [{ subject: "outer" }, { subject: "inner" }],
      sessionId: "session-1",
    });
  });

  it("needs no optional claim", async () => {
    const { scopes, ...token } = await validator.validate(await signToken({ aud: audience }));
    assert.deepEqual([...scopes], ["upl:bucket:read"]);
    assert.deepEqual(token, {
      subject: "urn:svc:user:7",
      subjectKind: "user",
      organisationId: undefined,
      applicationId: undefined,
      authorisationId: undefined,
      clientId: claims.client_id,
      authorizedParty: undefined,
      audience: [audience],
      issuedAt: nowSeconds,
      notBefore: nowSeconds,
      expiresAt: nowSeconds + 3600,
      tokenId: claims.jti,
      authorizationDetails: undefined,
      actors: [],
      sessionId: undefined,
    });
  });

  it("is a service account's by its scope, whatever its subject", async () => {
    const kindOf = async (sub: string, scope: string) =>
      (await validator.validate(await signToken({ sub, scope }))).subjectKind;
    assert.equal(await kindOf("urn:svc:serviceaccount:7", "a"), "user");
    assert.equal(await kindOf("urn:svc:user:7", "a service_account"), "service_account");
    assert.equal(await kindOf("urn:svc:user:7", "service_accounts Service_account"), "user");
  });

  it("distinguishes empty authorization_details from absent ones", async () => {
    const token = await validator.validate(await signToken({ authorization_details: [] }));
    assert.deepEqual(token.authorizationDetails, []);
  });

  it("has at most four actors", async () => {
    const act = { sub: "1", act: { sub: "2", act: { sub: "3", act: { sub: "4" } } } };
    const { actors } = await validator.validate(await signToken({ act }));
    assert.deepEqual(
      actors.map(({ subject }) => subject),
      ["1", "2", "3", "4"],
    );
  });

  it("is deeply frozen", async () => {
    const token = await validator.validate(await signToken(everything));
    const check = (value: unknown, path: string): void => {
      if (typeof value !== "object" || value === null) return;
      assert(Object.isFrozen(value), `${path} is not frozen`);
      for (const [name, inner] of Object.entries(value)) check(inner, `${path}.${name}`);
    };
    check(token, "token");
    assert.throws(() => Object.assign(token, { subject: "x" }), TypeError);
    const scopes = token.scopes as Set<string>;
    assert.throws(() => scopes.add("admin"), TypeError);
    assert.throws(() => scopes.delete("upl:bucket:read"), TypeError);
    assert.throws(() => scopes.clear(), TypeError);
  });
});

describe("the scopes", () => {
  const scopesOf = async (scope: string) => [
    ...(await validator.validate(await signToken({ scope }))).scopes,
  ];

  const split: Record<string, string[]> = {
    "a b": ["a", "b"],
    "a  b": ["a", "b"],
    " a ": ["a"],
    "a a": ["a"],
    "a\tb": ["a\tb"],
    "a\nb": ["a\nb"],
    "a\u00a0b": ["a\u00a0b"],
    "a,b": ["a,b"],
    " ": [],
  };
  for (const [scope, elements] of Object.entries(split)) {
    it(`${JSON.stringify(scope)} are ${JSON.stringify(elements)}`, async () => {
      assert.deepEqual(await scopesOf(scope), elements);
    });
  }
});

describe("the clock", () => {
  const validAt = async (
    nowMs: number,
    times: { exp?: number; nbf?: number; iat?: number },
    tolerances: { clockToleranceSeconds?: number; expiryToleranceSeconds?: number } = {},
  ): Promise<AccessToken> =>
    validatorWith({ now: () => nowMs, ...tolerances }).validate(await signToken(times));

  const ms = nowSeconds * 1000;

  it("lets a token live from nbf to just before exp, to the millisecond", async () => {
    const times = { exp: nowSeconds + 10 };
    const exact = { clockToleranceSeconds: 0 };
    await assert.rejects(validAt(ms - 1, times, exact), { reason: "TOKEN_NOT_YET_VALID" });
    await validAt(ms, times, exact);
    await validAt(ms + 9_999, times, exact);
    await assert.rejects(validAt(ms + 10_000, times, exact), { reason: "TOKEN_EXPIRED" });
  });

  it("may be up to five seconds behind the issuer's", async () => {
    const times = { exp: nowSeconds + 10 };
    await validAt(ms - 5_000, times);
    await assert.rejects(validAt(ms - 5_001, times), { reason: "TOKEN_NOT_YET_VALID" });
    await assert.rejects(validAt(ms + 10_000, times), { reason: "TOKEN_EXPIRED" });
  });

  it("may differ from the issuer's by the tolerances", async () => {
    const times = { exp: nowSeconds + 10 };
    const tolerances = { clockToleranceSeconds: 60, expiryToleranceSeconds: 30 };
    const early = validAt(ms - 60_001, times, tolerances);
    await assert.rejects(early, { reason: "TOKEN_NOT_YET_VALID" });
    await validAt(ms - 60_000, times, tolerances);
    await validAt(ms + 39_999, times, tolerances);
    await assert.rejects(validAt(ms + 40_000, times, tolerances), { reason: "TOKEN_EXPIRED" });
  });

  it("refuses every token when it returns no number", async () => {
    await assert.rejects(validAt(Number.NaN, {}), { reason: "TOKEN_EXPIRED" });
  });

  it("is the computer's by default", async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const times = { exp: seconds + 60, nbf: seconds, iat: seconds };
    await validatorWith({}).validate(await signToken(times));
    await assert.rejects(validatorWith({}).validate(await signToken({ ...times, exp: seconds })), {
      reason: "TOKEN_EXPIRED",
    });
  });
});
