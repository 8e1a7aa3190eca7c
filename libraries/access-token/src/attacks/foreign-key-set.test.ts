/** Custom key sets: whatever they return or throw, no invalid token is accepted. */
import assert from "node:assert/strict";
import {
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  webcrypto,
} from "node:crypto";
import { describe, it } from "node:test";
import { forge, makeValidator, signingKey } from "../../testing/tokens.ts";
import { refusalMessages, TokenRefusedError } from "../token-refused-error.ts";

function validate(getOrFetch: () => unknown) {
  const keySet = { get: () => undefined, getOrFetch: getOrFetch as () => KeyObject };
  return makeValidator({ keySet }).validate(forge({}));
}

function keyOf(type: string, options: object = {}): KeyObject {
  const pem = generateKeyPairSync(type as "rsa", {
    modulusLength: 2048,
    ...options,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return createPublicKey(pem.publicKey);
}

function withExponent(hex: string): KeyObject {
  const e = Buffer.from(hex, "hex").toString("base64url");
  return createPublicKey({ format: "jwk", key: { ...signingKey.jwk, e } });
}

const publicKey = createPublicKey({ format: "jwk", key: signingKey.jwk });
const spki = publicKey.export({ type: "spki", format: "der" });
const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

const unfit: Record<string, unknown> = {
  "an RSA key of 1024 bits": keyOf("rsa", { modulusLength: 1024 }),
  "an RSA key for PSS": keyOf("rsa-pss"),
  "an elliptic curve key": keyOf("ec", { namedCurve: "P-256" }),
  "an Edwards curve key": keyOf("ed25519"),
  "a key with the exponent 1": withExponent("01"),
  "a key with an even exponent": withExponent("010000"),
  "a key with an exponent of 257 bits": withExponent(`01${"00".repeat(31)}01`),
  "the private key": signingKey.privateKey,
  "a secret": createSecretKey(spki),
  "the public key as a CryptoKey": await webcrypto.subtle.importKey("spki", spki, rsa, true, [
    "verify",
  ]),
  "the public key as PEM": publicKey.export({ type: "spki", format: "pem" }),
  "the public key as a JWK": signingKey.jwk,
  "what looks like a key": {
    type: "public",
    asymmetricKeyType: "rsa",
    asymmetricKeyDetails: { modulusLength: 2048, publicExponent: 65537n },
  },
  "a list of keys": [publicKey],
  nothing: undefined,
  null: null,
  true: true,
};

const failures: Record<string, unknown> = {
  "an Error": new TypeError("no connection"),
  "an Error of two lines": new Error("no connection\r\nINFO: token accepted"),
  "a text": "no connection",
  nothing: undefined,
  null: null,
  "a symbol": Symbol("no connection"),
  "an object without prototype": Object.create(null),
  "an Error that cannot be quoted": Object.assign(new Error("unquotable"), { message: 1n }),
  "an object that cannot be written": {
    toString() {
      throw new Error("cannot be written");
    },
  },
};

describe("a key set of the program's own", () => {
  it("can return the right key, at once or later", async () => {
    await validate(() => publicKey);
    await validate(async () => publicKey);
  });

  for (const [description, key] of Object.entries(unfit)) {
    it(`cannot make the validator verify under ${description}`, async () => {
      for (const find of [() => key, async () => key]) {
        await assert.rejects(validate(find), {
          name: "TokenRefusedError",
          reason: "SIGNATURE_INVALID",
          message: refusalMessages.SIGNATURE_INVALID,
        });
      }
    });
  }

  for (const [description, failure] of Object.entries(failures)) {
    it(`counts as unavailable when it throws ${description}`, async () => {
      const throwing = () => {
        throw failure;
      };
      for (const find of [throwing, async () => throwing()]) {
        await assert.rejects(validate(find), {
          name: "TokenRefusedError",
          reason: "KEY_SET_UNAVAILABLE",
          message: refusalMessages.KEY_SET_UNAVAILABLE,
          retryAfterSeconds: 1,
          // For the log: on one line, whatever the error says.
          detail: /^the key set failed: [\x20-\x7e]+$/,
          cause: failure,
        });
      }
    });
  }

  it("may refuse a token itself", async () => {
    const refusal = new TokenRefusedError("KEY_UNKNOWN", "withdrawn");
    const find = () => {
      throw refusal;
    };
    await assert.rejects(validate(find), refusal);
  });
});
