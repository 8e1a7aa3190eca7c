/**
 * Key sets that someone has tampered with, or that hold more than keys for RS256. Each row is a key
 * and a token that a careless verifier would find good under it. Which sets are read at all, and
 * which keys of them, is tested beside `read-key-set.ts`.
 */
import assert from "node:assert/strict";
import { createHmac, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { describe, it } from "node:test";
import { type Attack, itRefuses } from "../../testing/attacks.ts";
import { digestInfo, encodedMessage } from "../../testing/rsa-numbers.ts";
import { makeSigningKey } from "../../testing/signing-key.ts";
import {
  claims,
  encode,
  forge,
  header,
  makeValidator,
  signingKey,
  validator,
} from "../../testing/tokens.ts";
import { staticKeySet } from "../key-set/key-set.ts";

const { jwk: good } = makeSigningKey("good");

/** A set needs one usable key; that one signs nothing here. */
function validatorOver(...entries: unknown[]) {
  return makeValidator({ keySet: staticKeySet({ keys: [...entries, good] as object[] }) });
}

type SetAttack = [entry: unknown, ...Attack];

function itRefusesOver(attacks: SetAttack[]): void {
  for (const [entry, ...attack] of attacks) itRefuses([attack], validatorOver(entry));
}

const { jwk } = signingKey;
const signed = () => forge({});

function macOf(secret: Buffer, alg: string): string {
  const text = `${encode({ ...header, alg })}.${encode(claims)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

describe("keys of another kind under our kid", () => {
  const k = Buffer.alloc(32, 7);
  const secret = { kty: "oct", kid: "key-1", k: k.toString("base64url") };
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const curve = { ...pair.publicKey.export({ format: "jwk" }), kid: "key-1", use: "sig" };
  const overCurve = (alg: string) => {
    const text = `${encode({ ...header, alg })}.${encode(claims)}`;
    const options = { key: pair.privateKey, dsaEncoding: "ieee-p1363" } as const;
    return `${text}.${sign("sha256", Buffer.from(text), options).toString("base64url")}`;
  };

  itRefusesOver([
    [secret, "MACed under a published secret", "ALGORITHM_REFUSED", () => macOf(k, "HS256")],
    [secret, "MACed under a published secret, as RS256", "KEY_UNKNOWN", () => macOf(k, "RS256")],
    [
      { ...secret, kty: "RSA" },
      "MACed under a secret that says RSA",
      "KEY_UNKNOWN",
      () => macOf(k, "RS256"),
    ],
    [{ ...jwk, kty: "oct", k: secret.k }, "under an RSA key that says oct", "KEY_UNKNOWN", signed],
    [curve, "over a published curve", "ALGORITHM_REFUSED", () => overCurve("ES256")],
    [curve, "over a published curve, as RS256", "KEY_UNKNOWN", () => overCurve("RS256")],
    [
      { ...curve, alg: "RS256" },
      "over a curve that says RS256",
      "KEY_UNKNOWN",
      () => overCurve("RS256"),
    ],
    [{ ...jwk, ...curve, kty: "EC" }, "under a key that is two", "KEY_UNKNOWN", signed],
  ]);
});

describe("keys for another use under our kid", () => {
  const uses: Record<string, object> = {
    "for a use in capitals": { use: "SIG" },
    "for encryption, by its operations": { key_ops: ["encrypt", "wrapKey"] },
    "for an operation inside a list": { key_ops: [["verify"]] },
    "for RSA-OAEP": { alg: "RSA-OAEP" },
    "for none": { alg: "none" },
    "for any algorithm": { alg: "*" },
    "for several algorithms": { alg: ["RS256", "HS256"] },
    "for an algorithm that is null": { alg: null },
    "of type RSA and a space": { kty: "RSA " },
    "of several types": { kty: ["RSA"] },
  };
  itRefusesOver(
    Object.entries(uses).map(([description, members]): SetAttack => {
      return [{ ...jwk, ...members }, `under a key ${description}`, "KEY_UNKNOWN", signed];
    }),
  );
});

describe("keys whose kid is not quite a kid", () => {
  const named = (kid: unknown, wanted: string): SetAttack => {
    const make = () => forge({ header: { ...header, kid: wanted } });
    return [{ ...jwk, kid }, `for ${JSON.stringify(wanted)}`, "KEY_UNKNOWN", make];
  };
  itRefusesOver([
    named(7, "7"),
    named(null, "null"),
    named(undefined, "undefined"),
    named(true, "true"),
    named(["key-1"], "key-1"),
    named({ toString: () => "key-1" }, "key-1"),
    named("", "key-1"),
    named("*", "key-1"),
    named("KEY-1", "key-1"),
    named("key-1 ", "key-1"),
    named("caf\u00e9", "cafe\u0301"),
    named("cafe\u0301", "caf\u00e9"),
    [[jwk], "under a key in an array", "KEY_UNKNOWN", signed],
    [{ keys: [jwk] }, "under a key in a set in the set", "KEY_UNKNOWN", signed],
    [JSON.stringify(jwk), "under a key that is text", "KEY_UNKNOWN", signed],
    [
      JSON.parse(`{"__proto__":${JSON.stringify(jwk)}}`),
      "under a hidden key",
      "KEY_UNKNOWN",
      signed,
    ],
  ]);
});

describe("keys that anyone can sign with", () => {
  const weak = makeSigningKey("key-1", 1024);
  const nearly = makeSigningKey("key-1", 2040);
  const bytes = (hex: string) => Buffer.from(hex, "hex").toString("base64url");
  const text = `${encode(header)}.${encode(claims)}`;
  /** Under the exponent 1 the signature is the very text that should be signed. */
  const itself = `${text}.${encodedMessage(digestInfo(text)).toString("base64url")}`;
  const longest = bytes(`01${"00".repeat(31)}01`);
  const number = (length: number, fill: number) => Buffer.alloc(length, fill).toString("base64url");

  itRefusesOver([
    [weak.jwk, "under a key of 1024 bits", "KEY_UNKNOWN", () => forge({ key: weak })],
    [nearly.jwk, "under a key of 2040 bits", "KEY_UNKNOWN", () => forge({ key: nearly })],
    [{ ...jwk, e: bytes("01") }, "under the exponent 1", "KEY_UNKNOWN", () => itself],
    [
      { ...jwk, e: bytes("00000001") },
      "under the exponent 1, with zeros",
      "KEY_UNKNOWN",
      () => itself,
    ],
    [{ ...jwk, e: bytes("00") }, "under the exponent 0", "KEY_UNKNOWN", () => itself],
    [{ ...jwk, e: bytes("02") }, "under the exponent 2", "KEY_UNKNOWN", signed],
    [{ ...jwk, e: bytes("010000") }, "under an even exponent", "KEY_UNKNOWN", signed],
    [{ ...jwk, e: number(256, 0xff) }, "under an exponent without end", "KEY_UNKNOWN", signed],
    [{ ...jwk, e: longest }, "under an exponent of 257 bits", "KEY_UNKNOWN", signed],
    [{ ...jwk, e: jwk.n }, "under the modulus for an exponent", "KEY_UNKNOWN", signed],
    [{ ...jwk, n: "" }, "under the empty modulus", "KEY_UNKNOWN", signed],
    [{ ...jwk, n: bytes("01") }, "under the modulus 1", "KEY_UNKNOWN", signed],
    [{ ...jwk, n: number(256, 0) }, "under the modulus 0", "KEY_UNKNOWN", signed],
    [{ ...jwk, n: number(4096, 0xff) }, "under a modulus of 32,768 bits", "KEY_UNKNOWN", signed],
    [{ ...jwk, n: jwk.e, e: jwk.n }, "under a key with its parts exchanged", "KEY_UNKNOWN", signed],
    [{ ...jwk, n: [jwk.n] }, "under a modulus in an array", "KEY_UNKNOWN", signed],
    [{ ...jwk, e: 65_537 }, "under an exponent that is a number", "KEY_UNKNOWN", signed],
  ]);
});

describe("what else a key may say", () => {
  const attacker = makeSigningKey("attacker");
  const pem = createPublicKey({ format: "jwk", key: attacker.jwk });
  const certificate = pem.export({ type: "spki", format: "der" }).toString("base64");
  const additions: Record<string, object> = {
    "a certificate of another key": { x5c: [certificate], x5t: "AAAA" },
    "an address of other keys": {
      x5u: "https://attacker.example/",
      jku: "https://attacker.example/",
    },
    "a private exponent, by mistake": { d: "AAAA", p: "AAAA", q: "AAAA" },
    "more primes": { oth: [{ r: "AAAA", d: "AAAA", t: "AAAA" }] },
    "a secret": { k: "AAAA" },
    "a point on a curve": { crv: "P-256", x: "AAAA", y: "AAAA" },
    "an end of its life": { exp: 0, nbf: 1e15, revoked: { revoked_at: 0 } },
  };
  for (const [description, members] of Object.entries(additions)) {
    it(`changes nothing: ${description}`, async () => {
      const by = validatorOver({ ...jwk, ...members });
      assert.equal((await by.validate(signed())).subject, claims.sub);
    });
    itRefuses(
      [
        [
          `of another under a key with ${description}`,
          "SIGNATURE_INVALID",
          () => forge({ key: attacker }),
        ],
      ],
      validatorOver({ ...jwk, ...members }),
    );
  }

  it("is its kid, whatever text that is", async () => {
    for (const kid of ["__proto__", "constructor", "../../dev/null", " ", "0", "\u{1f511}"]) {
      const by = validatorOver({ ...jwk, kid });
      const token = await by.validate(forge({ header: { ...header, kid } }));
      assert.equal(token.subject, claims.sub);
    }
  });
});

describe("two keys", () => {
  it("under one kid are both unusable, so neither can be taken for the other", async () => {
    const attacker = makeSigningKey("key-1");
    const third = makeSigningKey("key-3");
    for (const keys of [
      [jwk, attacker.jwk],
      [attacker.jwk, jwk],
    ]) {
      assert.throws(() => staticKeySet({ keys }), TypeError);
      const by = validatorOver(...keys, third.jwk);
      await assert.rejects(by.validate(signed()), { reason: "KEY_UNKNOWN" });
      await assert.rejects(by.validate(forge({ key: attacker })), { reason: "KEY_UNKNOWN" });
    }
  });

  it("that are the same are one", async () => {
    const token = await validatorOver(jwk, jwk).validate(signed());
    assert.equal(token.subject, claims.sub);
  });

  it("are never tried in turn: the kid alone decides", async () => {
    const second = makeSigningKey("key-2");
    const by = validatorOver(jwk, second.jwk);
    const exchanged = forge({ key: signingKey, header: { ...header, kid: "key-2" } });
    await assert.rejects(by.validate(exchanged), { reason: "SIGNATURE_INVALID" });
    await assert.rejects(by.validate(forge({ key: second })), { reason: "SIGNATURE_INVALID" });
    await validator.validate(signed());
  });
});
