/** RSA as the arithmetic it is, to make signatures that no library would make. */
import {
  constants,
  createHash,
  createPublicKey,
  type KeyObject,
  privateEncrypt,
} from "node:crypto";

export function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString("hex")}`);
}

export function bytesOf(number: bigint, length: number): Buffer {
  return Buffer.from(number.toString(16).padStart(2 * length, "0"), "hex");
}

export function modulusOf(key: KeyObject): bigint {
  const { n = "" } = createPublicKey(key.export({ type: "pkcs8", format: "pem" })).export({
    format: "jwk",
  });
  return numberOf(Buffer.from(n, "base64url"));
}

/** Signs these bytes as they are, without hash or padding. */
export function signRaw(encodedMessage: Buffer, key: KeyObject): Buffer {
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, encodedMessage);
}

/** What RFC 8017 section 9.2 puts before the hash: algorithm SHA-256, parameters NULL, 32 bytes. */
export const sha256Prefix = Buffer.from("3031300d060960864801650304020105000420", "hex");

export function digestInfo(text: string, prefix: Buffer = sha256Prefix): Buffer {
  return Buffer.concat([prefix, createHash("sha256").update(text).digest()]);
}

/** EMSA-PKCS1-v1_5 (RFC 8017 section 9.2). */
export function encodedMessage(info: Buffer, length = 256): Buffer {
  const padding = Buffer.alloc(length - info.length - 3, 0xff);
  return Buffer.concat([Buffer.from([0, 1]), padding, Buffer.from([0]), info]);
}
