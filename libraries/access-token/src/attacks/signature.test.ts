import assert from "node:assert/strict";
import { constants, createHash, privateEncrypt, sign } from "node:crypto";
import { describe, it } from "node:test";
import { type Attack, itRefuses } from "../../testing/attacks.ts";
import { bytesOf, modulusOf, numberOf } from "../../testing/rsa-numbers.ts";
import { makeSigningKey } from "../../testing/signing-key.ts";
import {
  claims,
  encode,
  forge,
  header,
  nowSeconds,
  signingKey,
  signToken,
  validator,
} from "../../testing/tokens.ts";

const { privateKey } = signingKey;
const good = forge({});
const [headerPart, payloadPart, signaturePart] = good.split(".") as [string, string, string];
const text = `${headerPart}.${payloadPart}`;
const signature = Buffer.from(signaturePart, "base64url");
const modulus = modulusOf(privateKey);
const otherKey = makeSigningKey(signingKey.keyId);

function bearing(bytes: Buffer): string {
  return `${text}.${bytes.toString("base64url")}`;
}

function rows(tokens: Record<string, () => string>): Attack[] {
  return Object.entries(tokens).map(([description, make]) => {
    return [description, "SIGNATURE_INVALID", make];
  });
}

/** Makes tokens that differ only in their jti, until one fits. */
function tokenWhose(holds: (signature: Buffer) => boolean): { text: string; signature: Buffer } {
  for (let count = 0; count < 10_000; count++) {
    const token = forge({ payload: { ...claims, jti: `${count}` } });
    const at = token.lastIndexOf(".");
    const bytes = Buffer.from(token.slice(at + 1), "base64url");
    if (holds(bytes)) return { text: token.slice(0, at), signature: bytes };
  }
  throw new Error("no such signature in 10,000");
}

describe("the signature", () => {
  it("of the issuer's key is accepted", async () => {
    assert.equal((await validator.validate(await signToken())).subject, claims.sub);
  });
});

describe("what is no signature", () => {
  const bytes = (count: number, fill: number) => bearing(Buffer.alloc(count, fill));
  itRefuses(
    rows({
      "without a signature": () => `${text}.`,
      "with a signature of zeros": () => bytes(256, 0),
      "with a signature of ones": () => bytes(256, 0xff),
      "with the number one for a signature": () => bearing(bytesOf(1n, 256)),
      "with the modulus for a signature": () => bearing(bytesOf(modulus, 256)),
      "with the modulus less one": () => bearing(bytesOf(modulus - 1n, 256)),
      "with the modulus and one": () => bearing(bytesOf(modulus + 1n, 256)),
      "with the hash for a signature": () => bearing(createHash("sha256").update(text).digest()),
      "with the text for a signature": () => bearing(Buffer.from(text).subarray(0, 256)),
      ...Object.fromEntries(
        [1, 20, 32, 64, 72, 128, 255, 257, 384, 512, 4096].map((count) => {
          return [`with a signature of ${count} bytes`, () => bytes(count, 1)];
        }),
      ),
    }),
  );
});

describe("a signature near to the good one", () => {
  itRefuses(
    rows({
      "with a zero byte before the signature": () =>
        bearing(Buffer.concat([Buffer.of(0), signature])),
      "with a zero byte after the signature": () =>
        bearing(Buffer.concat([signature, Buffer.of(0)])),
      "with its signature twice": () => bearing(Buffer.concat([signature, signature])),
      "with its signature backwards": () => bearing(Buffer.from(signature).reverse()),
      "with half its signature": () => bearing(signature.subarray(0, 128)),
      "without the first byte": () => bearing(signature.subarray(1)),
      "without the last byte": () => bearing(signature.subarray(0, -1)),
      "with its signature in hexadecimal": () => bearing(Buffer.from(signature.toString("hex"))),
      "with its signature encoded twice": () => bearing(Buffer.from(signaturePart)),
      "with its signature as a DER octet string": () =>
        bearing(Buffer.concat([Buffer.of(0x04, 0x82, 0x01, 0x00), signature])),
      "with the modulus less its signature": () =>
        bearing(bytesOf(modulus - numberOf(signature), 256)),
      "with its signature squared": () =>
        bearing(bytesOf(numberOf(signature) ** 2n % modulus, 256)),
      "with its signature and the modulus added up": () => {
        const small = tokenWhose((bytes) => numberOf(bytes) + modulus < 2n ** 2048n);
        const sum = bytesOf(numberOf(small.signature) + modulus, 256);
        return `${small.text}.${sum.toString("base64url")}`;
      },
      "whose signature begins with a zero that is left out": () => {
        const zero = tokenWhose((bytes) => bytes[0] === 0);
        return `${zero.text}.${zero.signature.subarray(1).toString("base64url")}`;
      },
    }),
  );
});

describe("a signature over something else", () => {
  const signed = (data: string | Buffer) => bearing(sign("sha256", Buffer.from(data), privateKey));
  const reversed = encode(Object.fromEntries(Object.entries(claims).reverse()));
  const other = forge({ payload: { ...claims, scope: "admin" } }).split(".");
  itRefuses(
    rows({
      "signed over its payload alone": () => signed(payloadPart),
      "signed over its header alone": () => signed(headerPart),
      "signed without the dot": () => signed(headerPart + payloadPart),
      "signed with a dot more": () => signed(`${text}.`),
      "signed with a line feed more": () => signed(`${text}\n`),
      "signed in the wrong order": () => signed(`${payloadPart}.${headerPart}`),
      "signed before it was encoded": () =>
        signed(`${JSON.stringify(header)}.${JSON.stringify(claims)}`),
      "signed with its payload not encoded": () =>
        signed(`${headerPart}.${JSON.stringify(claims)}`),
      "signed in UTF-16": () => signed(Buffer.from(text, "utf16le")),
      "whose hash was hashed": () => signed(createHash("sha256").update(text).digest()),
      "whose hash was hashed in hexadecimal": () =>
        signed(createHash("sha256").update(text).digest("hex")),
      "with the claims of another token": () => `${headerPart}.${other[1]}.${signaturePart}`,
      "with the signature of another token": () => `${text}.${other[2]}`,
      "with the same header written otherwise": () =>
        `${encode(JSON.stringify(header, null, 1))}.${payloadPart}.${signaturePart}`,
      "with the same claims in another order": () => `${headerPart}.${reversed}.${signaturePart}`,
      "with claims that nobody signed and no claims at all": () =>
        `${headerPart}.e30.${signaturePart}`,
    }),
  );
});

describe("a signature made otherwise", () => {
  const signedBy = (hash: string, options: object = {}) =>
    bearing(sign(hash, Buffer.from(text), { key: privateKey, ...options }));
  const pss = (saltLength: number) => ({ padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
  const hashes = [
    "md5",
    "sha1",
    "sha224",
    "sha384",
    "sha512",
    "sha512-256",
    "sha3-256",
    "ripemd160",
  ];
  itRefuses(
    rows({
      ...Object.fromEntries(hashes.map((hash) => [`signed with ${hash}`, () => signedBy(hash)])),
      "signed with PSS": () => signedBy("sha256", pss(32)),
      "signed with PSS without salt": () => signedBy("sha256", pss(0)),
      "signed with PSS and the longest salt": () => signedBy("sha256", pss(222)),
      // The signature of TLS 1.0: the hash alone, with nothing to say which.
      "signed with the bare hash in the padding": () =>
        bearing(privateEncrypt(privateKey, createHash("sha256").update(text).digest())),
    }),
  );
});

describe("a signature by someone else", () => {
  itRefuses(
    rows({
      "signed by another key under our kid": () => forge({ key: otherKey }),
      "signed by another key of 4096 bits": () => forge({ key: makeSigningKey("key-1", 4096) }),
      // Only a verified token gets a specific reason.
      "that is expired and forged": () =>
        forge({ key: otherKey, payload: { ...claims, exp: nowSeconds - 1 } }),
      "of another issuer and forged": () =>
        forge({ key: otherKey, payload: { ...claims, iss: "https://attacker.example" } }),
      "whose payload is no JSON, forged": () => forge({ key: otherKey, payload: "not JSON" }),
      "whose payload is empty, forged": () => forge({ key: otherKey, payload: "" }),
    }),
  );
});
