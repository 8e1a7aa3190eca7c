import assert from "node:assert/strict";
import { createHmac, createPublicKey } from "node:crypto";
import { describe, it } from "node:test";
import { type Attack, itRefuses } from "../test-support/attacks.ts";
import { makeSigningKey } from "../test-support/signing-key.ts";
import { claims, encode, forge, header, signingKey, validator } from "../test-support/tokens.ts";
import { createAccessTokenValidator } from "./validator.ts";

const otherAlgorithms = ["RS384", "RS512", "PS256", "ES256", "EdDSA", "HS256", "RSA-OAEP", "dir"];
const attacker = makeSigningKey("attacker");

/** Signed with HMAC under text that everyone knows: the issuer's public key. */
function confused(form: "pem" | "der" | "jwk"): string {
  const key = createPublicKey({ format: "jwk", key: signingKey.jwk });
  const secret = {
    pem: key.export({ type: "spki", format: "pem" }),
    der: key.export({ type: "spki", format: "der" }),
    jwk: JSON.stringify(signingKey.jwk),
  }[form];
  const text = `${encode({ ...header, alg: "HS256" })}.${encode(claims)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

function unsigned(alg: unknown): string {
  return `${encode({ ...header, alg })}.${encode(claims)}.`;
}

describe("the algorithm", () => {
  it("is looked at before any key", async () => {
    const find = () => assert.fail("a key was asked for");
    const options = { issuer: claims.iss, audience: "uploads", keySet: { known: find, find } };
    await assert.rejects(createAccessTokenValidator(options).validate(unsigned("none")), {
      reason: "ALGORITHM_REFUSED",
    });
  });

  itRefuses([
    ["with alg none and no signature", "ALGORITHM_REFUSED", () => unsigned("none")],
    ["with alg nOnE", "ALGORITHM_REFUSED", () => unsigned("nOnE")],
    [
      "with alg NONE and a real signature",
      "ALGORITHM_REFUSED",
      () => forge({ header: { ...header, alg: "NONE" } }),
    ],
    ["with alg absent", "ALGORITHM_REFUSED", () => forge({ header: { kid: "key-1", typ: "JWT" } })],
    ["with alg null", "ALGORITHM_REFUSED", () => forge({ header: { ...header, alg: null } })],
    ["with alg empty", "ALGORITHM_REFUSED", () => forge({ header: { ...header, alg: "" } })],
    ["with alg rs256", "ALGORITHM_REFUSED", () => forge({ header: { ...header, alg: "rs256" } })],
    [
      "with alg RS256 and a space",
      "ALGORITHM_REFUSED",
      () => forge({ header: { ...header, alg: "RS256 " } }),
    ],
    [
      "with alg in an array",
      "ALGORITHM_REFUSED",
      () => forge({ header: { ...header, alg: ["RS256"] } }),
    ],
    [
      "with alg in another script",
      "ALGORITHM_REFUSED",
      () => forge({ header: { ...header, alg: "\uff32\uff33256" } }),
    ],
    ["with the public key as an HMAC secret, PEM", "ALGORITHM_REFUSED", () => confused("pem")],
    ["with the public key as an HMAC secret, DER", "ALGORITHM_REFUSED", () => confused("der")],
    ["with the public key as an HMAC secret, JWK", "ALGORITHM_REFUSED", () => confused("jwk")],
    [
      "with alg __proto__",
      "ALGORITHM_REFUSED",
      () => forge({ header: { ...header, alg: "__proto__" } }),
    ],
    [
      "with alg only inside __proto__",
      "ALGORITHM_REFUSED",
      () => forge({ header: '{"__proto__":{"alg":"RS256"},"kid":"key-1","typ":"JWT"}' }),
    ],
    ...otherAlgorithms.map(
      (alg): Attack => [
        `with alg ${alg}`,
        "ALGORITHM_REFUSED",
        () => forge({ header: { ...header, alg } }),
      ],
    ),
  ]);
});

describe("the type", () => {
  itRefuses([
    ["with typ absent", "TOKEN_MALFORMED", () => forge({ header: { alg: "RS256", kid: "key-1" } })],
    ["with typ jwt", "TOKEN_MALFORMED", () => forge({ header: { ...header, typ: "jwt" } })],
    ["with typ null", "TOKEN_MALFORMED", () => forge({ header: { ...header, typ: null } })],
    [
      "with typ in an array",
      "TOKEN_MALFORMED",
      () => forge({ header: { ...header, typ: ["JWT"] } }),
    ],
    [
      "that is an RFC 9068 one of another issuer",
      "TOKEN_MALFORMED",
      () => forge({ header: { ...header, typ: "at+jwt" } }),
    ],
    [
      "that is a logout token",
      "TOKEN_MALFORMED",
      () => forge({ header: { ...header, typ: "logout+jwt" } }),
    ],
    [
      "that is a security event",
      "TOKEN_MALFORMED",
      () => forge({ header: { ...header, typ: "secevent+jwt" } }),
    ],
    [
      "that is a proof of possession",
      "TOKEN_MALFORMED",
      () => forge({ header: { ...header, typ: "dpop+jwt" } }),
    ],
  ]);
});

describe("the key ID", () => {
  itRefuses([
    ["with kid absent", "TOKEN_MALFORMED", () => forge({ header: { alg: "RS256", typ: "JWT" } })],
    ["with kid empty", "TOKEN_MALFORMED", () => forge({ header: { ...header, kid: "" } })],
    ["with kid null", "TOKEN_MALFORMED", () => forge({ header: { ...header, kid: null } })],
    ["with kid a number", "TOKEN_MALFORMED", () => forge({ header: { ...header, kid: 1 } })],
    [
      "with kid in an array",
      "TOKEN_MALFORMED",
      () => forge({ header: { ...header, kid: ["key-1"] } }),
    ],
    [
      "with kid an object",
      "TOKEN_MALFORMED",
      () => forge({ header: { ...header, kid: { $ne: "" } } }),
    ],
    [
      "with kid of 257 bytes",
      "TOKEN_MALFORMED",
      () => forge({ header: { ...header, kid: "k".repeat(257) } }),
    ],
    [
      "with kid of 129 characters and 258 bytes",
      "TOKEN_MALFORMED",
      () => forge({ header: { ...header, kid: "é".repeat(129) } }),
    ],
    [
      "with kid a lone surrogate",
      "TOKEN_MALFORMED",
      () => forge({ header: '{"alg":"RS256","kid":"\\ud800","typ":"JWT"}' }),
    ],
    [
      "with a kid nobody publishes",
      "KEY_UNKNOWN",
      () =>
        forge({
          key: attacker,
          header: {
            ...header,
            kid: attacker.keyId,
          },
        }),
    ],
    [
      "with kid of 256 bytes that nobody publishes",
      "KEY_UNKNOWN",
      () => forge({ header: { ...header, kid: "k".repeat(256) } }),
    ],
    ["with kid in upper case", "KEY_UNKNOWN", () => forge({ header: { ...header, kid: "KEY-1" } })],
    ["with kid and a space", "KEY_UNKNOWN", () => forge({ header: { ...header, kid: "key-1 " } })],
    ["with kid and a NUL", "KEY_UNKNOWN", () => forge({ header: { ...header, kid: "key-1\0" } })],
    [
      "with kid a path",
      "KEY_UNKNOWN",
      () => forge({ header: { ...header, kid: "../../../../dev/null" } }),
    ],
    [
      "with kid an injection into SQL",
      "KEY_UNKNOWN",
      () => forge({ header: { ...header, kid: "x' union select 'secret' --" } }),
    ],
    [
      "with kid an address",
      "KEY_UNKNOWN",
      () => forge({ header: { ...header, kid: "https://attacker.example/key" } }),
    ],
    ["with kid __proto__", "KEY_UNKNOWN", () => forge({ header: { ...header, kid: "__proto__" } })],
    [
      "with kid constructor",
      "KEY_UNKNOWN",
      () => forge({ header: { ...header, kid: "constructor" } }),
    ],
  ]);
});

describe("other header parameters", () => {
  const injected = {
    jwk: { ...attacker.jwk, kid: "key-1" },
    jku: "https://attacker.example/jwks.json",
    x5u: "https://attacker.example/chain.pem",
    x5c: ["MIIB"],
    x5t: "AAAA",
    b64: false,
    cty: "JWT",
    zip: "DEF",
  };

  for (const [name, value] of Object.entries(injected)) {
    it(`include ${name}, which changes nothing`, async () => {
      await validator.validate(forge({ header: { ...header, [name]: value } }));
    });
  }

  itRefuses([
    [
      "with the attacker's key in jwk",
      "SIGNATURE_INVALID",
      () => forge({ key: attacker, header: { ...header, jwk: { ...attacker.jwk, kid: "key-1" } } }),
    ],
    [
      "with the attacker's key in jwk, and its kid",
      "KEY_UNKNOWN",
      () => forge({ key: attacker, header: { ...header, kid: "attacker", jwk: attacker.jwk } }),
    ],
    [
      "with the attacker's key behind jku",
      "SIGNATURE_INVALID",
      () => forge({ key: attacker, header: { ...header, jku: injected.jku } }),
    ],
    [
      "with an unencoded payload",
      "SIGNATURE_INVALID",
      () => forge({ header: { ...header, b64: false } }).replace(/\.[^.]+\./, ".e30."),
    ],
    ["with crit", "TOKEN_MALFORMED", () => forge({ header: { ...header, crit: ["b64"] } })],
    [
      "with crit listing what we know",
      "TOKEN_MALFORMED",
      () => forge({ header: { ...header, crit: ["alg"] } }),
    ],
    ["with crit empty", "TOKEN_MALFORMED", () => forge({ header: { ...header, crit: [] } })],
    ["with crit null", "TOKEN_MALFORMED", () => forge({ header: { ...header, crit: null } })],
  ]);
});
