import assert from "node:assert/strict";
import { constants, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { describe, it } from "node:test";
import { type Attack, itRefuses } from "../test-support/attacks.ts";
import { makeSigningKey } from "../test-support/signing-key.ts";
import {
  audience,
  claims,
  encode,
  forge,
  header,
  issuer,
  nowSeconds,
  signingKey,
  signToken,
  validator,
} from "../test-support/tokens.ts";
import { createAccessTokenValidator } from "./validator.ts";

const text = `${encode(header)}.${encode(claims)}`;
const other = makeSigningKey(signingKey.keyId);

function withSignature(signature: Buffer): string {
  return `${text}.${signature.toString("base64url")}`;
}

function signedBy(hash: string, options: { padding?: number; saltLength?: number } = {}): string {
  const key = { key: signingKey.privateKey, ...options };
  return withSignature(sign(hash, Buffer.from(text), key));
}

async function parts(): Promise<[string, string, string]> {
  return (await signToken()).split(".") as [string, string, string];
}

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };

const attacks: Attack[] = [
  ["with no signature", "SIGNATURE_INVALID", () => `${text}.`],
  ["signed by another key under our kid", "SIGNATURE_INVALID", () => forge({ key: other })],
  ["signed with SHA-512", "SIGNATURE_INVALID", () => signedBy("sha512")],
  ["signed with SHA-1", "SIGNATURE_INVALID", () => signedBy("sha1")],
  ["signed with PSS padding", "SIGNATURE_INVALID", () => signedBy("sha256", pss)],
  ["with a signature of zeros", "SIGNATURE_INVALID", () => withSignature(Buffer.alloc(256))],
  ["with a signature of ones", "SIGNATURE_INVALID", () => withSignature(Buffer.alloc(256, 255))],
  ["with a signature of one byte", "SIGNATURE_INVALID", () => withSignature(Buffer.alloc(1))],
  ["with a signature of 4 KiB", "SIGNATURE_INVALID", () => withSignature(Buffer.alloc(4096, 1))],
  [
    "with a zero byte before the signature",
    "SIGNATURE_INVALID",
    async () => {
      const [first, second, signature] = await parts();
      const longer = Buffer.concat([Buffer.alloc(1), Buffer.from(signature, "base64url")]);
      return `${first}.${second}.${longer.toString("base64url")}`;
    },
  ],
  [
    "with the claims of one and the signature of another",
    "SIGNATURE_INVALID",
    async () => {
      const [first, , signature] = await parts();
      return `${first}.${encode({ ...claims, scope: "admin" })}.${signature}`;
    },
  ],
  [
    "with the same header written otherwise",
    "SIGNATURE_INVALID",
    async () => {
      const [, second, signature] = await parts();
      return `${encode(JSON.stringify(header, null, 1))}.${second}.${signature}`;
    },
  ],
  [
    "whose dot has moved",
    "TOKEN_MALFORMED",
    async () => {
      const [first, second, signature] = await parts();
      return `${first}${second[0]}.${second.slice(1)}.${signature}`;
    },
  ],
  [
    "that is expired and forged, without telling that it is expired",
    "SIGNATURE_INVALID",
    () => forge({ key: other, payload: { ...claims, exp: nowSeconds - 1 } }),
  ],
  [
    "that is malformed and forged, without reading its claims",
    "SIGNATURE_INVALID",
    () => forge({ key: other, payload: "not JSON" }),
  ],
];

describe("the signature", () => {
  itRefuses(attacks);

  it("of the issuer's key is accepted", async () => {
    assert.equal((await validator.validate(await signToken())).subject, claims.sub);
  });
});

describe("a key set made elsewhere", () => {
  const validate = async (find: (keyId: string) => never) =>
    createAccessTokenValidator({
      issuer,
      audience,
      keySet: { known: find, find },
      now: () => nowSeconds * 1000,
    }).validate(await signToken());

  const keyOf = (type: string, options: object = {}) =>
    createPublicKey(
      generateKeyPairSync(type as "rsa", {
        modulusLength: 2048,
        ...options,
        publicKeyEncoding: { type: "spki", format: "pem" },
        privateKeyEncoding: { type: "pkcs8", format: "pem" },
      }).publicKey,
    );

  const unfit = {
    "an RSA key of 1024 bits": keyOf("rsa", { modulusLength: 1024 }),
    "an RSA key for PSS": keyOf("rsa-pss"),
    "an elliptic curve key": keyOf("ec", { namedCurve: "P-256" }),
    "the private key": signingKey.privateKey,
  };
  for (const [description, key] of Object.entries(unfit)) {
    it(`cannot make us verify under ${description}`, async () => {
      await assert.rejects(
        validate(() => key as never),
        { reason: "SIGNATURE_INVALID" },
      );
    });
  }

  it("that fails is out of reach", async () => {
    const failing = () => {
      throw new TypeError("no connection");
    };
    await assert.rejects(validate(failing), {
      name: "TokenRefusedError",
      reason: "KEY_SET_UNAVAILABLE",
      retryAfterSeconds: 1,
    });
  });
});
