/**
 * Private keys as the database holds them: encrypted with AES-256-GCM under a key that is not in
 * the database, so that a copy of the database alone signs nothing.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from "node:crypto";

/** A key that private keys are encrypted with. */
export interface EncryptionKey {
  /** Says which key it is, and nothing about it. */
  readonly id: string;
  readonly key: KeyObject;
}

/** An encrypted private key. */
export interface SealedKey {
  /** The {@link EncryptionKey} that opens it. */
  readonly encryptionKeyId: string;
  /** The nonce, the encrypted PKCS #8, and the tag, one after the other. */
  readonly bytes: Buffer;
}

/** The key that would open a sealed one is not there, or does not open it. */
export class SealedKeyError extends Error {
  override name = "SealedKeyError";
}

/** Of an encryption key. */
export const encryptionKeyBytes = 32;

const algorithm = "aes-256-gcm";
/** NIST SP 800-38D section 8.2.2: 96 random bits do for 2^32 encryptions; we make a few dozen. */
const nonceBytes = 12;
const tagBytes = 16;

/** Takes in the bytes of an encryption key; there must be {@link encryptionKeyBytes}. */
export function encryptionKeyOf(bytes: Buffer): EncryptionKey {
  const id = createHmac("sha256", bytes).update("stowage encryption key id").digest("hex");
  return { id: id.slice(0, 16), key: createSecretKey(bytes) };
}

/** Encrypts the private key that belongs to `keyId`; it opens as no other key's. */
export function seal(keyId: string, privateKeyDer: Buffer, { id, key }: EncryptionKey): SealedKey {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(keyId));
  const text = [cipher.update(privateKeyDer), cipher.final()];
  return { encryptionKeyId: id, bytes: Buffer.concat([nonce, ...text, cipher.getAuthTag()]) };
}

/**
 * Decrypts the private key that belongs to `keyId`, with whichever of the given keys it takes.
 *
 * @throws SealedKeyError when none of them is the one, or the bytes are not what was sealed
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
