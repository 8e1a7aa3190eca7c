/** The keys that encrypt the signing keys: from KEY_ENCRYPTION_KEY, or from a file. */
import {
  type EncryptionKeySource,
  findEncryptionKeys as findKeys,
  type KeyPurpose,
  openEncryptionKeys as openKeys,
} from "@stowage/process";
import type { EncryptionKey } from "../model/sealed-key.ts";

const purpose: KeyPurpose = {
  setting: "KEY_ENCRYPTION_KEY",
  fileName: "key-encryption-key",
  keyName: "the key encryption key",
  encrypted: "the signing keys",
};

interface EncryptionKeySettings {
  readonly keyEncryptionKey: readonly EncryptionKey[] | undefined;
  readonly keyEncryptionKeyFile: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly dataDir: { readonly path: string };
}

/** @throws SettingsError if the settings name two places, or none although they must */
export function findEncryptionKeys(settings: EncryptionKeySettings): Promise<EncryptionKeySource> {
  const { keyEncryptionKey: keys, keyEncryptionKeyFile: file } = settings;
  return findKeys(purpose, { ...settings, keys, file });
}

/**
 * Returns the keys. The first one encrypts, all of them decrypt.
 *
 * @throws Error with advice if the file cannot be read or made
 */
export function openEncryptionKeys(
  options: Parameters<typeof openKeys>[1],
): Promise<readonly EncryptionKey[]> {
  return openKeys(purpose, options);
}
