import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  audience,
  type Claims,
  issuer,
  nowSeconds,
  signingKey,
  signToken,
} from "../../testing/tokens.ts";
import type { AccessToken } from "../access-token.ts";
import { staticKeySet } from "../key-set/key-set.ts";
import { TokenRefusedError } from "../token-refused-error.ts";
import { createAccessTokenValidator } from "../validator.ts";
import type { DenylistEntry } from "./denylist.ts";
import { createMemoryDenylist, DeniedTokens, memoryDenylist } from "./memory-denylist.ts";

async function reasonFor(entry: DenylistEntry, changes: Claims): Promise<string> {
  const denylist = memoryDenylist();
  await denylist.add(entry);
  const validator = createAccessTokenValidator({
    issuer,
    audience,
    keySet: staticKeySet({ keys: [signingKey.jwk] }),
    now: () => nowSeconds * 1000,
    denylist,
  });
  try {
    await validator.validate(await signToken(changes));
    return "accepted";
  } catch (error) {
    if (error instanceof TokenRefusedError) return error.reason;
    throw error;
  }
}

describe("a denylist entry", () => {
  const cases: [string, DenylistEntry, refused: Claims[], accepted: Claims[]][] = [
    [
      "for a token",
      { kind: "jti", value: "t1" },
      [{ jti: "t1" }],
      [{ jti: "t2" }, { jti: "T1" }, { sid: "t1" }, { sub: "t1" }],
    ],
    [
      "for a session",
      { kind: "sid", value: "s1" },
      [{ sid: "s1" }, { sid: "s1", jti: "any" }],
      [{ sid: "s2" }, {}, { jti: "s1" }],
    ],
    ["for a key", { kind: "kid", value: signingKey.keyId }, [{}, { sub: "any" }], []],
    ["for another key", { kind: "kid", value: "key-2" }, [], [{}, { jti: "key-2" }]],
    [
      "for a subject",
      { kind: "sub", value: "u1", issuedBefore: nowSeconds - 10 },
      [
        { sub: "u1", iat: nowSeconds - 11 },
        { sub: "u1", iat: 0 },
      ],
      [
        { sub: "u1", iat: nowSeconds - 10 },
        { sub: "u1", iat: nowSeconds },
        { sub: "u2", iat: nowSeconds - 11 },
      ],
    ],
    [
      "for a client",
      { kind: "client", value: "c1", issuedBefore: nowSeconds },
      [{ client_id: "c1", iat: nowSeconds - 1 }],
      [{ client_id: "c1" }, { client_id: "c2", iat: nowSeconds - 1 }],
    ],
    [
      "for a subject at a client",
      { kind: "client", value: "c1", subject: "u1", issuedBefore: nowSeconds },
      [{ client_id: "c1", sub: "u1", iat: nowSeconds - 1 }],
      [
        { client_id: "c1", sub: "u1" },
        { client_id: "c1", sub: "u2", iat: nowSeconds - 1 },
        { client_id: "c2", sub: "u1", iat: nowSeconds - 1 },
        { client_id: "c", sub: "1u1", iat: nowSeconds - 1 },
      ],
    ],
  ];
  for (const [description, entry, refused, accepted] of cases) {
    it(`${description} denies exactly the tokens that it names`, async () => {
      for (const changes of refused) assert.equal(await reasonFor(entry, changes), "TOKEN_REVOKED");
      for (const changes of accepted) assert.equal(await reasonFor(entry, changes), "accepted");
    });
  }

  const faulty: unknown[] = [
    { kind: "iss", value: "x" },
    { kind: "toString", value: "x" },
    { kind: "jti", value: "" },
    { kind: "client", value: "x" },
    { kind: "client", value: "x", subject: "", issuedBefore: 1 },
    { kind: "jti", value: 7 },
    { kind: "jti", value: "\ud800" },
    { kind: "sid", value: "x".repeat(8 * 1024 + 1) },
    { kind: "sub", value: "x" },
    { kind: "sub", value: "x", issuedBefore: 1.5 },
    { kind: "kid", value: "x", expiresAt: Number.NaN },
    { kind: "kid", value: "x", expiresAt: new Date() },
  ];
  for (const entry of faulty) {
    it(`is refused when it is ${JSON.stringify(entry).slice(0, 60)}`, async () => {
      await assert.rejects(memoryDenylist().add(entry as DenylistEntry), {
        name: "TypeError",
        message: /^Cannot use the denylist entry: \w+ must be /,
      });
    });
  }
});

describe("a denylist in memory", () => {
  it("holds a limited number of entries, and no more until some have expired", async () => {
    let nowSeconds = 1000;
    const denylist = createMemoryDenylist({ now: () => nowSeconds * 1000 }, 3);
    for (const value of ["a", "b", "c"]) {
      await denylist.add({ kind: "jti", value, expiresAt: nowSeconds + 60 });
    }
    const another: DenylistEntry = { kind: "jti", value: "another" };
    await assert.rejects(denylist.add(another), /the denylist holds 3 entries already$/);
    const token = { tokenId: "another" } as AccessToken;
    denylist.check(token, "key-1");
    nowSeconds += 3600;
    await denylist.add(another);
    assert.throws(() => denylist.check(token, "key-1"), { reason: "TOKEN_REVOKED" });
  });
});

describe("denied tokens", () => {
  const name = fc.constantFrom("a", "b");
  const time = fc.integer({ min: 0, max: 3000 });
  const expiresAt = fc.option(time, { nil: undefined });
  const entryOf = fc.oneof(
    fc.record({ kind: fc.constantFrom("jti", "sid", "kid"), value: name, expiresAt }),
    fc.record({ kind: fc.constant("sub"), value: name, issuedBefore: time, expiresAt }),
    fc.record({
      kind: fc.constant("client"),
      value: name,
      subject: fc.option(name, { nil: undefined }),
      issuedBefore: time,
      expiresAt,
    }),
  ) as fc.Arbitrary<DenylistEntry>;
  const tokenOf = fc.record({
    tokenId: name,
    sessionId: fc.option(name, { nil: undefined }),
    subject: name,
    clientId: name,
    issuedAt: time,
  }) as fc.Arbitrary<unknown> as fc.Arbitrary<AccessToken>;

  /** The rule as one would say it. */
  function isDenied(entries: readonly DenylistEntry[], token: AccessToken, keyId: string) {
    return entries.some((entry) => {
      if (entry.kind === "sub") {
        return entry.value === token.subject && token.issuedAt < entry.issuedBefore;
      }
      if (entry.kind === "client") {
        const isOther = entry.subject !== undefined && entry.subject !== token.subject;
        return entry.value === token.clientId && token.issuedAt < entry.issuedBefore && !isOther;
      }
      return entry.value === { jti: token.tokenId, sid: token.sessionId, kid: keyId }[entry.kind];
    });
  }

  it("are those that entries name, in whatever order and however often they are added", () => {
    fc.assert(
      fc.property(fc.array(entryOf, { maxLength: 6 }), tokenOf, name, (entries, token, keyId) => {
        const denied = new DeniedTokens();
        for (const entry of entries) denied.add(entry);
        assert.equal(denied.find(token, keyId) !== undefined, isDenied(entries, token, keyId));
      }),
      { numRuns: 1000 },
    );
  });

  it("stay denied as long as an entry for them has not expired", () => {
    fc.assert(
      fc.property(
        fc.array(entryOf, { maxLength: 6 }),
        tokenOf,
        name,
        time,
        (entries, token, keyId, now) => {
          const denied = new DeniedTokens();
          for (const entry of entries) denied.add(entry);
          denied.removeExpired(now);
          const live = entries.filter(({ expiresAt = Infinity }) => expiresAt >= now);
          if (isDenied(live, token, keyId)) assert(denied.find(token, keyId));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("are removed some time after their entry has expired", () => {
    const denied = new DeniedTokens();
    denied.add({ kind: "jti", value: "a", expiresAt: 1000 });
    denied.add({ kind: "kid", value: "b" });
    denied.removeExpired(1060);
    assert.equal(denied.size, 2, "a clock can be behind");
    denied.removeExpired(1200);
    assert.equal(denied.size, 1);
    denied.removeExpired(Number.MAX_SAFE_INTEGER);
    assert.equal(denied.size, 1, "an entry without an end stays");
  });
});
