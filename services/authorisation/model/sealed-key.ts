/**
 * Encrypts private keys for the database (AES-256-GCM). The encryption key is not in the database,
 * so nobody can sign with a copy of the database alone.
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

export interface SealedKey {
  /** The {@link EncryptionKey} that decrypts it. */
  readonly encryptionKeyId: string;
  /** The nonce, the encrypted PKCS #8, and the tag. */
  readonly bytes: Buffer;
}

/** The encryption key is missing, or does not decrypt the private key. */
export class SealedKeyError extends Error {
  override name = "SealedKeyError";
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

/** Encrypts a private key. It decrypts only with the same `keyId`. */
export function seal(keyId: string, privateKeyDer: Buffer, { id, key }: EncryptionKey): SealedKey {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(keyId));
  const text = [cipher.update(privateKeyDer), cipher.final()];
  return { encryptionKeyId: id, bytes: Buffer.concat([nonce, ...text, cipher.getAuthTag()]) };
}

/**
 * Decrypts a private key with one of the encryption keys.
 *
 * @throws SealedKeyError if none of them fits, or if the bytes were changed
 */
export function unseal(
  keyId: string,
  { encryptionKeyId, bytes }: SealedKey,
  encryptionKeys: readonly EncryptionKey[],
): Buffer {
  const fitting = encryptionKeys.find(({ id }) => id === encryptionKeyId);
  if (fitting === undefined) {
    const given = encryptionKeys.map(({ id }) => id).join(" and ") || "none";
    throw new SealedKeyError(
      `Cannot decrypt signing key ${keyId}: KEY_ENCRYPTION_KEY is ${given}, need ` +
        `${encryptionKeyId}, which it was encrypted with; if that is lost, ` +
        `"stowage keys withdraw ${keyId}" makes another signing key`,
    );
  }
  try {
    const tagAt = bytes.length - tagBytes;
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv(algorithm, fitting.key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(keyId)).setAuthTag(bytes.subarray(tagAt));
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, tagAt)), decipher.final()]);
  } catch (cause) {
    throw new SealedKeyError(`Cannot decrypt signing key ${keyId}: its row was changed`, { cause });
  }
}
