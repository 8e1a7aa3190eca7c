/**
 * The keys that encrypt the signing keys: from the settings, or from a file. With the embedded
 * database, the first start makes the file.
 */
import { randomBytes } from "node:crypto";
import { link, open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Logger, SettingsError } from "@stowage/process";
import { type EncryptionKey, encryptionKeyBytes, encryptionKeyOf } from "../model/sealed-key.ts";

interface EncryptionKeySettings {
  readonly keyEncryptionKey: readonly EncryptionKey[] | undefined;
  readonly keyEncryptionKeyFile: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly dataDir: { readonly path: string };
}

export type EncryptionKeySource =
  | { readonly keys: readonly EncryptionKey[] }
  | { readonly file: string };

/** The file in the data folder, by default. */
const defaultFileName = "key-encryption-key";

const fileBytesMax = 4096;

/** What the setting and the file must contain, in words. */
export const encryptionKeysNeed =
  "32 bytes in base64, as openssl rand -base64 32 prints (several with spaces between them)";

/** @throws SettingsError if the settings name two places, or none although they must */
export async function findEncryptionKeys(
  settings: EncryptionKeySettings,
): Promise<EncryptionKeySource> {
  const { keyEncryptionKey: keys, keyEncryptionKeyFile: file, databaseUrl, dataDir } = settings;
  if (keys !== undefined && file !== undefined) {
    throw new SettingsError([
      "KEY_ENCRYPTION_KEY: got KEY_ENCRYPTION_KEY_FILE as well, need one of them",
    ]);
  }
  if (keys !== undefined) return { keys };
  if (file !== undefined) return { file };
  const defaultFile = join(dataDir.path, defaultFileName);
  // Other machines may use the same database. They would not know a key that is made here.
  if (databaseUrl !== undefined && !(await exists(defaultFile))) {
    throw new SettingsError([
      `KEY_ENCRYPTION_KEY: got nothing, need ${encryptionKeysNeed}, ` +
        "or KEY_ENCRYPTION_KEY_FILE, wherever DATABASE_URL is set",
    ]);
  }
  return { file: defaultFile };
}

/**
 * Returns the keys. The first one encrypts, all of them decrypt.
 *
 * @throws Error with advice if the file cannot be read or made
 */
export async function openEncryptionKeys(options: {
  source: EncryptionKeySource;
  /** Whether anything is encrypted. If so, no file is made: it could not contain the right key. */
  isInUse: () => Promise<boolean>;
  logger: Logger;
}): Promise<readonly EncryptionKey[]> {
  const { source, isInUse, logger } = options;
  if ("keys" in source) return source.keys;
  const { file } = source;
  const found = await readKeyFile(file);
  if (found !== undefined) return found;
  if (await isInUse()) {
    throw new Error(
      `Cannot decrypt the signing keys: there is no file ${file}, need the one with the key that ` +
        "they were encrypted with, or that key as KEY_ENCRYPTION_KEY",
    );
  }
  await makeKeyFile(file);
  const made = await readKeyFile(file);
  if (made === undefined) throw new Error(`Cannot keep ${file}: it was removed at once`);
  logger.info({ file }, "made the key that signing keys are encrypted with");
  return made;
}

/** Parses keys separated by white space; undefined if they are no keys. */
export function parseEncryptionKeys(text: string): EncryptionKey[] | undefined {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const keys = words.map((word) => Buffer.from(word, "base64"));
  const isEach = keys.every(
    (key, index) =>
      key.length === encryptionKeyBytes &&
      key.toString("base64").replace(/=$/, "") === words[index]?.replace(/=$/, ""),
  );
  return isEach && keys.length > 0 ? keys.map(encryptionKeyOf) : undefined;
}

async function readKeyFile(file: string): Promise<EncryptionKey[] | undefined> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw new Error(`Cannot read the key encryption key in ${file}`, { cause });
  });
  if (text === undefined) return undefined;
  const keys = text.length > fileBytesMax ? undefined : parseEncryptionKeys(text);
  if (keys === undefined) {
    throw new Error(`Cannot use the key encryption key in ${file}: need ${encryptionKeysNeed}`);
  }
  return keys;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** Of concurrent processes, one makes the file. No reader ever sees half of it. */
async function makeKeyFile(file: string): Promise<void> {
  const partial = `${file}.${randomBytes(6).toString("hex")}.partial`;
  try {
    const handle = await open(partial, "wx", 0o600);
    try {
      await handle.writeFile(`${randomBytes(encryptionKeyBytes).toString("base64")}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(partial, file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new Error(`Cannot make the key encryption key in ${file}`, { cause });
    }
  } finally {
    await rm(partial, { force: true });
  }
}
