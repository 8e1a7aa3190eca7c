/**
 * Under the exponent 3 a signature is a cube root, and anyone can take those of numbers that need
 * to be right in some of their bytes only. The forgeries here would be accepted by a verifier that
 * does not look at every byte (Bleichenbacher 2006; CVE-2016-1494).
 */
import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import { itRefuses } from "../../testing/attacks.ts";
import { bytesOf, digestInfo, encodedMessage, numberOf } from "../../testing/rsa-numbers.ts";
import { claims, encode, forge, header, makeValidator } from "../../testing/tokens.ts";
import { staticKeySet } from "../key-set/key-set.ts";

const pem = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicExponent: 3,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const { n = "", e = "" } = createPublicKey(pem.publicKey).export({ format: "jwk" });
const jwk = { kty: "RSA", kid: "key-1", use: "sig", alg: "RS256", n, e } as const;
const key = { keyId: "key-1", privateKey: createPrivateKey(pem.privateKey), jwk };

const by = makeValidator({ keySet: staticKeySet({ keys: [jwk] }) });

/** The least number of which the cube is not less. */
function cubeRoot(cube: bigint): bigint {
  let [low, high] = [0n, 1n << BigInt(Math.ceil(cube.toString(2).length / 3) + 1)];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (middle ** 3n < cube) low = middle + 1n;
    else high = middle;
  }
  return low;
}

/** The number whose cube ends in these bits, of which the last must be one. */
function cubeRootOfEnd(end: bigint, bits: bigint): bigint {
  let root = 1n;
  for (let bit = 1n; bit < bits; bit++) {
    const right = (root ** 3n - end) % (1n << (bit + 1n)) === 0n;
    if (!right) root += 1n << bit;
  }
  return root;
}

/** A payload for which the hash ends in a one, as cubes of odd numbers do. */
function oddText(): string {
  for (let count = 0; ; count++) {
    const text = `${encode(header)}.${encode({ ...claims, scope: "admin", count })}`;
    if (digestInfo(text).at(-1)! % 2 === 1) return text;
  }
}

function withSignature(text: string, signature: bigint): string {
  return `${text}.${bytesOf(signature, 256).toString("base64url")}`;
}

function cubeOf(signature: bigint): Buffer {
  const cube = signature ** 3n;
  assert(cube < numberOf(Buffer.from(n, "base64url")), "the forgery must not wrap around");
  return bytesOf(cube, 256);
}

const text = `${encode(header)}.${encode({ ...claims, scope: "admin" })}`;
const beginning = Buffer.concat([Buffer.from("0001ffffffffffffffff00", "hex"), digestInfo(text)]);

describe("a key with the exponent 3", () => {
  it("verifies what its owner signed", async () => {
    assert.equal((await by.validate(forge({ key }))).subject, claims.sub);
  });

  it("lets anyone make a signature that begins well, and it is refused", async () => {
    const least = Buffer.concat([beginning, Buffer.alloc(256 - beginning.length)]);
    const signature = cubeRoot(numberOf(least));
    assert(cubeOf(signature).subarray(0, beginning.length).equals(beginning));
    await assert.rejects(by.validate(withSignature(text, signature)), {
      reason: "SIGNATURE_INVALID",
    });
  });

  it("lets anyone make a signature that begins and ends well, and it is refused", async () => {
    const odd = oddText();
    const end = Buffer.concat([Buffer.of(0), digestInfo(odd)]);
    const bits = BigInt(8 * end.length);
    const start = Buffer.from("0001ffffffffffffffff", "hex");
    const least = Buffer.concat([start, Buffer.alloc(256 - start.length)]);
    const high = ((cubeRoot(numberOf(least)) >> bits) + 1n) << bits;
    const signature = high + cubeRootOfEnd(numberOf(end), bits);
    assert(cubeOf(signature).subarray(0, start.length).equals(start));
    assert(cubeOf(signature).subarray(-end.length).equals(end));
    await assert.rejects(by.validate(withSignature(odd, signature)), {
      reason: "SIGNATURE_INVALID",
    });
  });

  itRefuses(
    [
      ["with zero for a signature", "SIGNATURE_INVALID", () => withSignature(text, 0n)],
      ["with one for a signature", "SIGNATURE_INVALID", () => withSignature(text, 1n)],
      [
        "with the cube root of what should be signed, rounded",
        "SIGNATURE_INVALID",
        () => withSignature(text, cubeRoot(numberOf(encodedMessage(digestInfo(text))))),
      ],
    ],
    by,
  );
});
