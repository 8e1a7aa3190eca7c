/**
 * The keys that encrypt secrets in the database: from the settings, or from a file. With the
 * embedded database, the first start makes the file.
 */
import { randomBytes } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DataDir } from "../database/embedded/open-database.ts";
import type { Logger } from "../logger.ts";
import { rows } from "../settings/setting-rows.ts";
import { type Setting, SettingsError, setting } from "../settings/settings.ts";
import { type EncryptionKey, encryptionKeyBytes, encryptionKeyOf } from "./sealed.ts";

/** What keys are for. */
export interface KeyPurpose {
  /** Name of the setting; that of the file is the same with `_FILE`. */
  readonly setting: string;
  /** Name of the file in the data folder, by default. */
  readonly fileName: string;
  /** What messages call the key, as in "the key encryption key". */
  readonly keyName: string;
  /** What the key encrypts, as in "the signing keys". */
  readonly encrypted: string;
}

/** The values of the settings. */
interface KeySettings {
  readonly keys: readonly EncryptionKey[] | undefined;
  readonly file: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly dataDir: DataDir;
}

export type EncryptionKeySource =
  | { readonly keys: readonly EncryptionKey[] }
  | { readonly file: string };

const fileBytesMax = 4096;

/** What the setting and the file must contain, in words. */
const keysNeed =
  "32 bytes in base64, as openssl rand -base64 32 prints (several with spaces between them)";

/** The row of the setting with the keys. */
export function encryptionKeysSetting(description: string): Setting<EncryptionKey[] | undefined> {
  const schema = rows
    .secret(description, { optional: true })
    .schema.refine((text) => text === undefined || parseEncryptionKeys(text) !== undefined, {
      error: keysNeed,
    })
    .transform((text) => (text === undefined ? undefined : parseEncryptionKeys(text)));
  return { ...setting(schema, description), secret: true };
}

/**
 * @throws {SettingsError} if the settings name two places, or none although they must, or if there
 *   is a file that cannot be read or holds no keys
 */
export async function findEncryptionKeys(
  purpose: KeyPurpose,
  { keys, file, databaseUrl, dataDir }: KeySettings,
): Promise<EncryptionKeySource> {
  if (keys !== undefined && file !== undefined) {
    throw new SettingsError([
      `${purpose.setting}: got ${purpose.setting}_FILE as well, need one of them`,
    ]);
  }
  if (keys !== undefined) return { keys };
  if (file !== undefined) {
    await readKeyFile(purpose, file);
    return { file };
  }
  const defaultFile = join(dataDir.path, purpose.fileName);
  // Other machines may use the same database. They would not know a key that is made here. The key
  // in the default `./data` is that of the embedded database, as after a trial.
  const isOther = databaseUrl !== undefined && dataDir.isDefault;
  const isThere = !isOther && (await readKeyFile(purpose, defaultFile)) !== undefined;
  if (isThere || databaseUrl === undefined) return { file: defaultFile };
  throw new SettingsError([
    `${purpose.setting}: got nothing, need ${keysNeed}, ` +
      `or ${purpose.setting}_FILE, wherever DATABASE_URL is set`,
  ]);
}

/**
 * Returns the keys. The first one encrypts, all of them decrypt.
 *
 * @throws {SettingsError} if the file cannot be read or made, or holds no keys
 */
export async function openEncryptionKeys(
  purpose: KeyPurpose,
  options: {
    source: EncryptionKeySource;
    /** Whether anything is encrypted. If so, no file is made: its key would be a wrong one. */
    isInUse: () => Promise<boolean>;
    logger: Logger;
  },
): Promise<readonly EncryptionKey[]> {
  const { source, isInUse, logger } = options;
  if ("keys" in source) return source.keys;
  const { file } = source;
  const found = await readKeyFile(purpose, file);
  if (found !== undefined) return found;
  if (await isInUse()) {
    throw fileError(
      purpose,
      `there is no file ${file}, need the one with the key that ${purpose.encrypted} were ` +
        `encrypted with, or that key as ${purpose.setting}`,
    );
  }
  await makeKeyFile(purpose, file);
  const made = await readKeyFile(purpose, file);
  if (made === undefined) throw new Error(`Cannot keep ${file}: it was removed at once`);
  logger.info({ file }, `made the key that encrypts ${purpose.encrypted}`);
  return made;
}

/** Parses keys separated by white space; undefined if they are not keys. */
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

async function readKeyFile(
  purpose: KeyPurpose,
  file: string,
): Promise<EncryptionKey[] | undefined> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw fileError(purpose, `cannot read ${purpose.keyName} in ${file}: ${cause.message}`);
  });
  if (text === undefined) return undefined;
  const keys = text.length > fileBytesMax ? undefined : parseEncryptionKeys(text);
  if (keys === undefined) {
    throw fileError(purpose, `cannot use ${purpose.keyName} in ${file}, need ${keysNeed}`);
  }
  return keys;
}

/** Of concurrent processes, one makes the file, and no reader ever sees half of it. */
async function makeKeyFile(purpose: KeyPurpose, file: string): Promise<void> {
  const partial = `${file}.${randomBytes(6).toString("hex")}.partial`;
  const text = `${randomBytes(encryptionKeyBytes).toString("base64")}\n`;
  try {
    await writeFile(partial, text, { flag: "wx", mode: 0o600, flush: true });
    await link(partial, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } catch (cause) {
    throw fileError(
      purpose,
      `cannot make ${purpose.keyName} in ${file}: ${(cause as Error).message}`,
    );
  } finally {
    await rm(partial, { force: true });
  }
}

/** An error of the setting with the file, also if the file is its default. */
function fileError({ setting: name }: KeyPurpose, problem: string): SettingsError {
  return new SettingsError([`${name}_FILE: ${problem}`]);
}
