/** Decrypts the private keys that sign tokens, and says what to do if one cannot be decrypted. */
import { type EncryptionKey, type Sealed, UnsealError, unseal } from "@stowage/process";

/** The encryption key is missing, or does not decrypt the private key. */
export class SealedKeyError extends Error {
  override name = "SealedKeyError";
}

/**
 * Decrypts a private key with one of the encryption keys.
 *
 * @throws SealedKeyError if none of them fits, or if the bytes were changed
 */
export function unsealSigningKey(
  keyId: string,
  sealed: Sealed,
  encryptionKeys: readonly EncryptionKey[],
): Buffer {
  try {
    return unseal(keyId, sealed, encryptionKeys);
  } catch (cause) {
    if (!(cause instanceof UnsealError) || cause.problem === "changed") {
      throw new SealedKeyError(`Cannot decrypt signing key ${keyId}: its row was changed`, {
        cause,
      });
    }
    const given = encryptionKeys.map(({ id }) => id).join(" and ") || "none";
    throw new SealedKeyError(
      `Cannot decrypt signing key ${keyId}: KEY_ENCRYPTION_KEY is ${given}, need ` +
        `${sealed.encryptionKeyId}, which it was encrypted with; if that is lost, ` +
        `"stowage keys withdraw ${keyId}" makes another signing key`,
    );
  }
}
