import assert from "node:assert/strict";
import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from "node:crypto";
import { describe, it } from "node:test";
import { type Attack, itRefuses, withParameter } from "../../testing/attacks.ts";
import {
  claims,
  encode,
  forge,
  header,
  issuer,
  makeValidator,
  signingKey,
} from "../../testing/tokens.ts";

const publicKey = createPublicKey({ format: "jwk", key: signingKey.jwk });

/** The text to be signed of a token whose header names this algorithm. */
function signedText(alg: unknown): string {
  return `${encode({ ...header, alg })}.${encode(claims)}`;
}

function unsigned(alg: unknown): string {
  return `${signedText(alg)}.`;
}

function macOf(alg: string, secret: string | Buffer): string {
  const text = signedText(alg);
  const hash = alg === "RS256" ? "sha256" : alg.replace("HS", "sha");
  return `${text}.${createHmac(hash, secret).update(text).digest("base64url")}`;
}

function signedAs(alg: string, hash: string | null, key: KeyObject, options: object = {}): string {
  const text = signedText(alg);
  const signature = sign(hash, Buffer.from(text), { key, ...options });
  return `${text}.${signature.toString("base64url")}`;
}

describe("the algorithm", () => {
  it("is checked before any key is requested", async () => {
    const fail = () => assert.fail("a key was requested");
    const by = makeValidator({ keySet: { get: fail, getOrFetch: fail } });
    await assert.rejects(by.validate(unsigned("none")), { reason: "ALGORITHM_REFUSED" });
  });
});

// RFC 8725 section 2.1; CVE-2015-2951, CVE-2018-1000531, CVE-2022-23540.
describe("no algorithm", () => {
  const spellings = ["none", "None", "NONE", "nOnE", "NonE", "none ", " none", "none\0", ""];

  itRefuses([
    ...spellings.map((alg): Attack => {
      return [
        `unsigned, with alg ${JSON.stringify(alg)}`,
        "ALGORITHM_REFUSED",
        () => unsigned(alg),
      ];
    }),
    ...withParameter("ALGORITHM_REFUSED", "alg", spellings),
    [
      "unsigned, with alg none only in the payload",
      "SIGNATURE_INVALID",
      () => `${encode(header)}.${encode({ ...claims, alg: "none" })}.`,
    ],
  ]);
});

describe("another algorithm", () => {
  itRefuses([
    ...withParameter("ALGORITHM_REFUSED", "alg", [
      "RS384",
      "RS512",
      "RS1",
      "PS256",
      "PS384",
      "PS512",
      "ES256",
      "ES384",
      "ES512",
      "ES256K",
      "EdDSA",
      "Ed25519",
      "Ed448",
      "HS256",
      "HS384",
      "HS512",
      "HS1",
      "ML-DSA-44",
      "ESP256",
      // Those of encryption, whose keys an attacker may know.
      "RSA1_5",
      "RSA-OAEP",
      "RSA-OAEP-256",
      "dir",
      "A128KW",
      "A128GCMKW",
      "ECDH-ES",
      "HPKE-0",
      // CVE-2022-36083 and its kind: as many hash rounds as the header asks for.
      "PBES2-HS256+A128KW",
    ]),
    [
      "with a password that is hashed a billion times",
      "ALGORITHM_REFUSED",
      () =>
        forge({
          header: { ...header, alg: "PBES2-HS512+A256KW", p2c: 1e9, p2s: "", enc: "A128GCM" },
        }),
    ],
  ]);
});

describe("the name of the algorithm", () => {
  itRefuses([
    ...withParameter("ALGORITHM_REFUSED", "alg", [
      undefined,
      null,
      true,
      0,
      256,
      {},
      [],
      [[]],
      ["RS256"],
      ["RS256", "none"],
      [["RS256"]],
      { 0: "RS256" },
      { toString: "RS256" },
      { RS256: true },
      { alg: "RS256" },
      "rs256",
      "Rs256",
      "RS256 ",
      " RS256",
      "RS256\0",
      "RS256\n",
      "RS256\u200b",
      "\u202eRS256",
      "RS-256",
      "RS 256",
      "RS0256",
      "RS256,none",
      "none,RS256",
      "RS256;HS256",
      "RS256/none",
      // Looks like RS256: fullwidth letters, a Cyrillic S, an Arabic digit, a long s.
      "\uff32\uff33256",
      "R\u0405256",
      "RS25\u0666",
      "R\u017f256",
      "SHA256withRSA",
      "sha256WithRSAEncryption",
      "1.2.840.113549.1.1.11",
      "RSASSA-PKCS1-v1_5",
      "__proto__",
      "constructor",
      "toString",
      "hasOwnProperty",
      "undefined",
      "null",
      "*",
    ]),
    [
      "with alg only in the payload",
      "ALGORITHM_REFUSED",
      () => forge({ header: { ...header, alg: undefined }, payload: { ...claims, alg: "RS256" } }),
    ],
    [
      "with alg only inside __proto__",
      "ALGORITHM_REFUSED",
      () => forge({ header: '{"__proto__":{"alg":"RS256"},"kid":"key-1","typ":"JWT"}' }),
    ],
    ...["ALG", "Alg", "alg ", "algorithm", "\u0430lg"].map((name): Attack => {
      const make = () => forge({ header: { ...header, alg: undefined, [name]: "RS256" } });
      return [`with alg misspelt ${JSON.stringify(name)}`, "ALGORITHM_REFUSED", make];
    }),
  ]);
});

// CVE-2015-9235, CVE-2016-10555, CVE-2017-11424, CVE-2022-29217, CVE-2023-48223, CVE-2024-33663,
// CVE-2026-34950: each a form of the public key that some library took for a secret.
describe("a MAC under public values", () => {
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
  const der = publicKey.export({ type: "spki", format: "der" });
  const secrets: Record<string, string | Buffer> = {
    "the public key in PEM": pem,
    "the public key in PEM without the last line feed": pem.trimEnd(),
    "the public key in PEM with CRLF": pem.replaceAll("\n", "\r\n"),
    "the public key in PEM on one line": pem.replaceAll("\n", ""),
    "the public key in PEM with a space before": ` ${pem}`,
    "the public key in PEM with a byte order mark": `\ufeff${pem}`,
    "the base64 inside the PEM": pem.replaceAll(/-----.*-----|\n/g, ""),
    "the public key in DER": der,
    "the public key in PKCS#1 PEM": publicKey.export({ type: "pkcs1", format: "pem" }).toString(),
    "the public key in PKCS#1 DER": publicKey.export({ type: "pkcs1", format: "der" }),
    "the public key as a JWK": JSON.stringify(signingKey.jwk),
    "the whole key set": JSON.stringify({ keys: [signingKey.jwk] }),
    "the modulus as text": signingKey.jwk.n,
    "the modulus as bytes": Buffer.from(signingKey.jwk.n, "base64url"),
    "the key ID": signingKey.keyId,
    "the issuer": issuer,
    // CVE-2019-20933, CVE-2020-28637: the empty content of /dev/null and of a missing row.
    "nothing at all": "",
    "one zero byte": "\0",
    "a common secret": "secret",
    "the text undefined": "undefined",
  };

  for (const [description, secret] of Object.entries(secrets)) {
    itRefuses([
      [`of HS256 under ${description}`, "ALGORITHM_REFUSED", () => macOf("HS256", secret)],
      [`of HS512 under ${description}`, "ALGORITHM_REFUSED", () => macOf("HS512", secret)],
      [
        `that says RS256, MACed under ${description}`,
        "SIGNATURE_INVALID",
        () => macOf("RS256", secret),
      ],
    ]);
  }
});

describe("a good signature of another algorithm", () => {
  const { privateKey } = signingKey;
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const ed25519 = generateKeyPairSync("ed25519").privateKey;
  const ieee = { dsaEncoding: "ieee-p1363" };
  const zeros = (count: number) => Buffer.alloc(count).toString("base64url");

  itRefuses([
    ["of RS512 under our key", "ALGORITHM_REFUSED", () => signedAs("RS512", "sha512", privateKey)],
    [
      "of PS256 under our key",
      "ALGORITHM_REFUSED",
      () => signedAs("PS256", "sha256", privateKey, pss),
    ],
    ["of ES256", "ALGORITHM_REFUSED", () => signedAs("ES256", "sha256", p256, ieee)],
    ["of EdDSA", "ALGORITHM_REFUSED", () => signedAs("EdDSA", null, ed25519)],
    [
      "that says RS256, of ES256",
      "SIGNATURE_INVALID",
      () => signedAs("RS256", "sha256", p256, ieee),
    ],
    [
      "that says RS256, of ES256 in DER",
      "SIGNATURE_INVALID",
      () => signedAs("RS256", "sha256", p256),
    ],
    ["that says RS256, of EdDSA", "SIGNATURE_INVALID", () => signedAs("RS256", null, ed25519)],
    // CVE-2022-21449, the psychic signature: both halves zero.
    [
      "of ES256 with zeros for a signature",
      "ALGORITHM_REFUSED",
      () => unsigned("ES256") + zeros(64),
    ],
    [
      "of EdDSA with zeros for a signature",
      "ALGORITHM_REFUSED",
      () => unsigned("EdDSA") + zeros(64),
    ],
    ["that says RS256, with 64 zeros", "SIGNATURE_INVALID", () => unsigned("RS256") + zeros(64)],
  ]);
});
