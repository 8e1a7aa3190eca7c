/**
 * Encrypts secrets for the database (AES-256-GCM). The encryption key is not in the database, so
 * nobody can use a secret with a copy of the database alone.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from "node:crypto";

export interface EncryptionKey {
  /** Identifies the key, and reveals nothing about it. */
  readonly id: string;
  readonly key: KeyObject;
}

export interface Sealed {
  /** The {@link EncryptionKey} that decrypts it. */
  readonly encryptionKeyId: string;
  /** The nonce, the encrypted secret, and the tag. */
  readonly bytes: Buffer;
}

/** None of the encryption keys is the right one, or the bytes were changed. */
export class UnsealError extends Error {
  override readonly name = "UnsealError";
  readonly problem: "no key" | "changed";

  constructor(problem: UnsealError["problem"], options?: ErrorOptions) {
    super(problem === "no key" ? "the encryption key is missing" : "it was changed", options);
    this.problem = problem;
  }
}

export const encryptionKeyBytes = 32;

const algorithm = "aes-256-gcm";
/** 96 random bits are enough for 2^32 encryptions (NIST SP 800-38D section 8.2.2). */
const nonceBytes = 12;
const tagBytes = 16;

/** Makes an encryption key from {@link encryptionKeyBytes} bytes. */
export function encryptionKeyOf(bytes: Buffer): EncryptionKey {
  const id = createHmac("sha256", bytes).update("stowage encryption key id").digest("hex");
  return { id: id.slice(0, 16), key: createSecretKey(bytes) };
}

/**
 * Encrypts a secret. It decrypts only with the same `additionalData`, such as the key of its row.
 */
export function seal(
  additionalData: string | Buffer,
  secret: Buffer,
  { id, key }: EncryptionKey,
): Sealed {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(additionalData));
  const text = [cipher.update(secret), cipher.final()];
  return { encryptionKeyId: id, bytes: Buffer.concat([nonce, ...text, cipher.getAuthTag()]) };
}

/**
 * Decrypts a secret with one of the encryption keys.
 *
 * @throws {UnsealError} if none of them fits, or if the bytes or the additional data were changed
 */
export function unseal(
  additionalData: string | Buffer,
  { encryptionKeyId, bytes }: Sealed,
  encryptionKeys: readonly EncryptionKey[],
): Buffer {
  const fitting = encryptionKeys.find(({ id }) => id === encryptionKeyId);
  if (fitting === undefined) throw new UnsealError("no key");
  try {
    const tagAt = bytes.length - tagBytes;
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv(algorithm, fitting.key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(additionalData)).setAuthTag(bytes.subarray(tagAt));
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, tagAt)), decipher.final()]);
  } catch (cause) {
    throw new UnsealError("changed", { cause });
  }
}
