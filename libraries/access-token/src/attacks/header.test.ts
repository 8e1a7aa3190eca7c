import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Attack, itRefuses, withParameter } from "../../testing/attacks.ts";
import { publish } from "../../testing/issuer-server.ts";
import { startRemoteKeySet } from "../../testing/remote-key-set.ts";
import { makeSigningKey } from "../../testing/signing-key.ts";
import {
  audience,
  claims,
  encode,
  forge,
  header,
  issuer,
  makeValidator,
  signingKey,
  validator,
} from "../../testing/tokens.ts";

const attacker = makeSigningKey("attacker");

// RFC 8725 sections 2.8 and 3.11: one kind of token in the place of another.
describe("the type", () => {
  itRefuses(
    withParameter("TOKEN_MALFORMED", "typ", [
      undefined,
      null,
      "",
      true,
      1,
      {},
      [],
      ["JWT"],
      { toString: "JWT" },
      { JWT: true },
      "jwt",
      "Jwt",
      "JWT ",
      " JWT",
      "JWT\0",
      "JWT\n",
      "JWT;",
      "JWT,JWT",
      "\uff2a\uff37\uff34",
      "application/jwt",
      "application/JWT",
      "JOSE",
      "JOSE+JSON",
      "JWS",
      "JWE",
      "at",
      "+jwt",
      // Types that other specifications define for other tokens.
      "at+jwt",
      "application/at+jwt",
      "AT+JWT",
      "logout+jwt",
      "secevent+jwt",
      "dpop+jwt",
      "oauth-authz-req+jwt",
      "token-introspection+jwt",
      "client-authentication+jwt",
      "kb+jwt",
      "dc+sd-jwt",
      "vc+sd-jwt",
      "entity-statement+jwt",
      "openid4vci-proof+jwt",
      "rt+jwt",
    ]),
  );
});

// RFC 8725 section 2.4 and 3.10; CVE-2018-0114 and CVE-2026-27962 took the key from the header.
describe("a key inside the header", () => {
  const brought: Record<string, object> = {
    "in jwk": { jwk: attacker.jwk },
    "in jwk, under our kid": { jwk: { ...attacker.jwk, kid: "key-1" } },
    "in jwk, as a set": { jwk: { keys: [{ ...attacker.jwk, kid: "key-1" }] } },
    "in jwks": { jwks: { keys: [{ ...attacker.jwk, kid: "key-1" }] } },
    "in x5c": { x5c: [Buffer.from(attacker.jwk.n, "base64url").toString("base64")] },
    "behind jku": { jku: "https://attacker.example/jwks.json" },
    "behind a jku that begins as our issuer": { jku: `${issuer}@attacker.example/jwks.json` },
    "behind a jku inside our issuer": { jku: `${issuer}/../open-redirect?to=attacker.example` },
    "behind a jku that is data": { jku: `data:,${JSON.stringify({ keys: [attacker.jwk] })}` },
    "behind a jku that is a file": { jku: "file:///tmp/jwks.json" },
    "behind x5u": { x5u: "https://attacker.example/chain.pem" },
    "in key": { key: attacker.jwk, k: attacker.jwk.n, secret: "" },
  };
  itRefuses(
    Object.entries(brought).flatMap(([description, parameters]): Attack[] => [
      [
        `whose key is ${description}`,
        "SIGNATURE_INVALID",
        () => forge({ key: attacker, header: { ...header, ...parameters } }),
      ],
      [
        `whose key is ${description}, and its kid with it`,
        "KEY_UNKNOWN",
        () => forge({ key: attacker, header: { ...header, kid: "attacker", ...parameters } }),
      ],
    ]),
  );

  it("is never fetched: the only request is for the issuer's key set", async () => {
    await using remote = await startRemoteKeySet(publish(signingKey.jwk));
    await using attackers = await startRemoteKeySet(publish(attacker.jwk));
    const address = `${attackers.server.address}/.well-known/jwks.json`;
    const { keySet, advance } = remote;
    const by = makeValidator({ keySet });
    const injected = { ...header, kid: "attacker", jku: address, x5u: address };
    const asked = assert.rejects(by.validate(forge({ key: attacker, header: injected })), {
      reason: "KEY_UNKNOWN",
    });
    await advance(10_000, 100);
    await asked;
    assert.deepEqual(
      remote.server.requests.map(({ url }) => url),
      ["/.well-known/jwks.json"],
    );
    assert.equal(attackers.server.requests.length, 0);
  });
});

// RFC 7515 section 4.1.11; CVE-2025-59420 and its kind: fast-jwt and PyJWT before 2.12.
describe("critical header parameters", () => {
  itRefuses([
    ...withParameter("TOKEN_MALFORMED", "crit", [
      ["b64"],
      ["alg"],
      ["kid"],
      ["exp"],
      ["x"],
      ["b64", "b64"],
      ["B64"],
      [""],
      ["__proto__"],
      [],
      [[]],
      [["b64"]],
      [null],
      [1],
      null,
      "",
      "b64",
      {},
      { 0: "b64" },
      true,
      false,
      0,
    ]),
    [
      "with crit naming an extension that is there",
      "TOKEN_MALFORMED",
      () => forge({ header: { ...header, crit: ["mfa"], mfa: true } }),
    ],
    [
      "with crit written with an escape",
      "TOKEN_MALFORMED",
      () => forge({ header: '{"alg":"RS256","kid":"key-1","typ":"JWT","cr\\u0069t":["b64"]}' }),
    ],
    [
      "with an unencoded payload, as RFC 7797 has it",
      "TOKEN_MALFORMED",
      () => {
        const good = forge({ header: { ...header, b64: false, crit: ["b64"] } });
        const [first, , signature] = good.split(".");
        return `${first}.${JSON.stringify(claims)}.${signature}`;
      },
    ],
  ]);

  it("is no claim: in the payload crit and b64 mean nothing", async () => {
    const payload = { ...claims, crit: ["b64"], b64: false };
    assert.equal((await validator.validate(forge({ payload }))).subject, claims.sub);
  });
});

describe("other parameters of the header", () => {
  const ignored: Record<string, unknown> = {
    jwk: { ...attacker.jwk, kid: "key-1" },
    jku: "https://attacker.example/jwks.json",
    x5u: "https://attacker.example/chain.pem",
    x5c: ["MIIB"],
    x5t: "AAAA",
    "x5t#S256": "AAAA",
    b64: false,
    cty: "JWT",
    zip: "DEF",
    enc: "A256GCM",
    p2c: 1e9,
    nonce: "x",
    ppt: "shaken",
    Crit: ["b64"],
    iss: "https://attacker.example",
    aud: "other",
    exp: 0,
    verify: false,
    __defineGetter__: 1,
  };
  for (const [name, value] of Object.entries(ignored)) {
    it(`changes nothing in a good token: ${name}`, async () => {
      const token = await validator.validate(forge({ header: { ...header, [name]: value } }));
      assert.equal(token.subject, claims.sub);
      assert.deepEqual(token.audience, [audience]);
    });
  }

  itRefuses([
    [
      "that says its payload is not encoded, with another payload",
      "SIGNATURE_INVALID",
      () => forge({ header: { ...header, b64: false } }).replace(/\.[^.]+\./, ".e30."),
    ],
    [
      "that says its payload is compressed, and is",
      "TOKEN_MALFORMED",
      () =>
        forge({
          header: { ...header, zip: "DEF" },
          payload: Buffer.from("q1YqLVayAgA=", "base64"),
        }),
    ],
    [
      "whose claims are in the header only",
      "CLAIM_INVALID",
      () => forge({ header: { ...claims, ...header }, payload: { iss: issuer, aud: audience } }),
    ],
    [
      "with 500 parameters and no good signature",
      "SIGNATURE_INVALID",
      () => {
        const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, 0]));
        const first = encode({ ...many, ...header });
        return `${first}.${encode(claims)}.AAAA`;
      },
    ],
  ]);
});
