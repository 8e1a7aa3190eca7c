/**
 * The successor of a refresh token follows from the token itself, under a key that the database
 * does not contain. So a client whose answer was lost gets the same successor again, although only
 * hashes of tokens are stored.
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { EncryptionKey } from "@stowage/process";

/** Makes the keys. The first one makes successors; the others find those made before. */
export function successorKeysOf(encryptionKeys: readonly EncryptionKey[]): readonly KeyObject[] {
  const purpose = "stowage successors of refresh tokens";
  return encryptionKeys.map(({ key }) =>
    createSecretKey(Buffer.from(hkdfSync("sha256", key, "", purpose, 32))),
  );
}

/** The successor of a token: 256 bits as base64url, like any refresh token. */
export function successorOf(token: string, key: KeyObject): string {
  return createHmac("sha256", key).update(token).digest("base64url");
}
