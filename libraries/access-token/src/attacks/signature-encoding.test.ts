/**
 * What a signature holds (RFC 8017 section 9.2). These are signed with the issuer's own key, each
 * with one fault inside: a verifier that reads the content instead of comparing it can be led to
 * accept some of them, and with small exponents anyone can make those (Bleichenbacher 2006;
 * CVE-2006-4339, CVE-2014-1568, CVE-2016-1494, CVE-2018-16152, CVE-2022-24771).
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { type Attack, itRefuses, refusalOf } from "../../testing/attacks.ts";
import { digestInfo, encodedMessage, sha256Prefix, signRaw } from "../../testing/rsa-numbers.ts";
import { claims, encode, header, signingKey, validator } from "../../testing/tokens.ts";

const text = `${encode(header)}.${encode(claims)}`;
const hash = createHash("sha256").update(text).digest();
const good = encodedMessage(digestInfo(text));
const infoStart = 256 - 51;

function bearing(encoded: Buffer): string {
  return `${text}.${signRaw(encoded, signingKey.privateKey).toString("base64url")}`;
}

/** Padding and separator as they should be, the rest as given in hexadecimal. */
function holding(...parts: (string | Buffer)[]): () => string {
  const info = parts.map((part) => (typeof part === "string" ? Buffer.from(part, "hex") : part));
  return () => bearing(encodedMessage(Buffer.concat(info)));
}

/** All 256 bytes: prefix, padding and suffix. */
function encoded(before: string, filler: string, after: Buffer): () => string {
  const start = Buffer.from(before, "hex");
  const fill = Buffer.alloc(256 - start.length - after.length, filler, "hex");
  return () => bearing(Buffer.concat([start, fill, after]));
}

const sha256 = "0609608648016503040201";
const garbage = Buffer.alloc(17, 0xa5);
const separated = Buffer.concat([Buffer.of(0), digestInfo(text)]);

const paddings: Record<string, () => string> = {
  "that begins with 1": encoded("0101", "ff", separated),
  "of block type 0": encoded("0000", "ff", separated),
  "of block type 2": encoded("0002", "ff", separated),
  "of block type 2 with other bytes": encoded("0002", "a5", separated),
  "padded with zeros": encoded("0001", "00", separated),
  "padded with ones less one": encoded("0001", "fe", separated),
  "with a zero early in the padding": encoded("0001ffffffffffffffff00ff", "ff", separated),
  "with one other byte in the padding": encoded("0001ff7f", "ff", separated),
  "without a separator": encoded("0001", "ff", digestInfo(text)),
  "with a separator that is not zero": encoded("0001", "ff", Buffer.from(separated).fill(1, 0, 1)),
  "with two separators": encoded("0001", "ff", Buffer.concat([Buffer.of(0), separated])),
  "with the hash at the left and zeros after it": encoded(
    `0001ffffffffffffffff00${digestInfo(text).toString("hex")}`,
    "00",
    Buffer.alloc(0),
  ),
  "with the hash at the left and garbage after it": encoded(
    `0001ffffffffffffffff00${digestInfo(text).toString("hex")}`,
    "a5",
    Buffer.alloc(0),
  ),
  "with no padding at all": encoded(`0001${separated.toString("hex")}`, "a5", Buffer.alloc(0)),
};

const contents: Record<string, () => string> = {
  "of the hash alone": holding(hash),
  "of the hash in an octet string": holding("0420", hash),
  "that names no parameters": holding("302f300b", sha256, "0420", hash),
  "with parameters that are not NULL": holding("3032300e", sha256, "050100", "0420", hash),
  "with an empty sequence for parameters": holding("3031300d", sha256, "3000", "0420", hash),
  "with garbage in the parameters": holding("3042301e", sha256, "0411", garbage, "0420", hash),
  "with two NULLs": holding("3033300f", sha256, "05000500", "0420", hash),
  "with garbage after the hash, inside": holding(
    "3035300d",
    sha256,
    "0500",
    "0420",
    hash,
    "a5a5a5a5",
  ),
  "with garbage after the hash, outside": holding(digestInfo(text), "a5a5a5a5"),
  "with a zero after the hash": holding(digestInfo(text), "00"),
  "with zeros before it": holding("0000", digestInfo(text)),
  "with a length in the long form": holding("308131300d", sha256, "0500", "0420", hash),
  "with a length of two bytes": holding("30820031300d", sha256, "0500", "0420", hash),
  "with an octet string of the long form": holding("3032300d", sha256, "0500", "048120", hash),
  "with an indefinite length": holding("3080300d", sha256, "0500", "0420", hash, "0000"),
  "with a length too large": holding("3032300d", sha256, "0500", "0420", hash),
  "with a length too small": holding("3030300d", sha256, "0500", "0420", hash),
  "with a length that overflows": holding("30850100000031300d", sha256, "0500", "0420", hash),
  "with an octet string that is longer than it is": holding(
    "3031300d",
    sha256,
    "0500",
    "0421",
    hash,
  ),
  "with a bit string": holding("3032300d", sha256, "0500", "032100", hash),
  "with a context tag for the octet string": holding("3031300d", sha256, "0500", "8020", hash),
  "with a set for a sequence": holding("3131300d", sha256, "0500", "0420", hash),
  "with a sequence around it": holding("3033", digestInfo(text)),
  "that says SHA-1": holding("302d300906052b0e03021a0500", "0420", hash),
  "that says SHA-512": holding("3031300d060960864801650304020305000420", hash),
  "that says SHA-512/256": holding("3031300d060960864801650304020605000420", hash),
  "that says SHA3-256": holding("3031300d060960864801650304020805000420", hash),
  "that says MD5": holding("3030300c06082a864886f70d02050500", "0420", hash),
  "with half the hash": holding("3021300d", sha256, "0500", "0410", hash.subarray(0, 16)),
  "with an empty hash": holding("3011300d", sha256, "0500", "0400"),
  "with a hash of one byte": holding("3012300d", sha256, "0500", "0401", hash.subarray(0, 1)),
  "with the hash twice": holding("3051300d", sha256, "0500", "0440", hash, hash),
  "with the hash in hexadecimal": holding(
    "3051300d",
    sha256,
    "0500",
    "0440",
    Buffer.from(hash.toString("hex")),
  ),
  "with the hash backwards": holding(sha256Prefix, Buffer.from(hash).reverse()),
  "with the hash of another text": holding(digestInfo(`${text}.`)),
  "with the hash of nothing": holding(digestInfo("")),
};

describe("what a signature holds", () => {
  it("is accepted as it should be: this key and this arithmetic are the right ones", async () => {
    assert.equal((await validator.validate(bearing(good))).subject, claims.sub);
  });

  const rows = (tokens: Record<string, () => string>) =>
    Object.entries(tokens).map(([description, make]): Attack => {
      return [`whose signature holds one ${description}`, "SIGNATURE_INVALID", make];
    });

  describe("in its padding", () => itRefuses(rows(paddings)));
  describe("in what it says of the hash", () => itRefuses(rows(contents)));

  it("is refused with any one byte changed", async () => {
    for (let at = 0; at < good.length; at++) {
      const changed = Buffer.from(good);
      // Less than the modulus it must stay, whatever that is.
      changed[at] = at === 0 ? 1 : changed[at]! ^ 0x01;
      assert.equal((await refusalOf(bearing(changed))).reason, "SIGNATURE_INVALID", `byte ${at}`);
    }
  });

  it("is refused with any one byte put in or taken out of what it says", async () => {
    const [start, one] = [good.subarray(0, 2), Buffer.of(0xff)];
    for (let at = infoStart - 1; at < good.length; at++) {
      // The padding makes up for it.
      const longer = [start, good.subarray(3, at), Buffer.of(0), good.subarray(at)];
      const shorter = [start, one, good.subarray(2, at), good.subarray(at + 1)];
      for (const changed of [longer, shorter].map((parts) => Buffer.concat(parts))) {
        assert.equal(changed.length, 256);
        assert.equal((await refusalOf(bearing(changed))).reason, "SIGNATURE_INVALID", `byte ${at}`);
      }
    }
  });
});
