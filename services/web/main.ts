/** The page's server: reads the settings, and runs a primary and a worker until a signal. */
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type EncryptionKeySource,
  findEncryptionKeys,
  readServiceCommand,
  readSettings,
  readTogether,
  runProgram,
  runService,
  SettingsError,
} from "@stowage/process";
import { keyPurpose, settingsTable, stopGraceMs, webSchema } from "./settings.ts";

await runProgram("web", async ({ signal }) => {
  const { settings, further, onlyChecks } = await readServiceCommand({
    name: "web",
    description: "Serves the page, keeps its sessions, and passes calls to the uploads service.",
    settingsTable,
    environment: process.env,
    readFurther: (environment) =>
      readTogether([
        findClientSecret(environment),
        findKeys(environment),
        requirePage(environment),
      ]),
  });
  if (onlyChecks) return;
  const [clientSecret, encryptionKeys] = further;
  await runService({
    name: "web",
    settings,
    schema: webSchema,
    signal,
    workers: 1,
    // The workers have a database address, for which there is no default file.
    environment: async () =>
      "file" in encryptionKeys ? { SESSION_ENCRYPTION_KEY_FILE: encryptionKeys.file } : {},
    graceMs: stopGraceMs,
    serve: async (worker) => {
      const { serve } = await import("./service.ts");
      await serve({ settings, clientSecret, encryptionKeys, ...worker, signal });
    },
  });
});

type Environment = Record<string, string | undefined>;

async function findKeys(environment: Environment): Promise<EncryptionKeySource> {
  const { SESSION_ENCRYPTION_KEY, SESSION_ENCRYPTION_KEY_FILE, DATABASE_URL, DATA_DIR } =
    settingsTable;
  const {
    sessionEncryptionKey: keys,
    sessionEncryptionKeyFile: file,
    ...database
  } = readSettings(
    { SESSION_ENCRYPTION_KEY, SESSION_ENCRYPTION_KEY_FILE, DATABASE_URL, DATA_DIR },
    environment,
  );
  return await findEncryptionKeys(keyPurpose, { ...database, keys, file });
}

/** @throws {SettingsError} if the page is not built */
async function requirePage(environment: Environment): Promise<void> {
  const { PAGE_DIR } = settingsTable;
  const page = join(readSettings({ PAGE_DIR }, environment).pageDir, "index.html");
  await access(page).catch(() => {
    throw new SettingsError([
      `PAGE_DIR: there is no ${page}; npm run build makes the page, as npm ci does`,
    ]);
  });
}

/** @throws {SettingsError} unless exactly one of the two settings has a secret */
async function findClientSecret(environment: Environment): Promise<string> {
  const { CLIENT_SECRET, CLIENT_SECRET_FILE } = settingsTable;
  const found = readSettings({ CLIENT_SECRET, CLIENT_SECRET_FILE }, environment);
  const { clientSecret, clientSecretFile: file } = found;
  if ((clientSecret === undefined) === (file === undefined)) {
    const got = file === undefined ? "nothing" : "CLIENT_SECRET_FILE as well";
    throw new SettingsError([
      `CLIENT_SECRET: got ${got}, need either CLIENT_SECRET or CLIENT_SECRET_FILE`,
    ]);
  }
  if (file === undefined) return clientSecret ?? "";
  const text = await readFile(file, "utf8").catch((cause: Error) => {
    throw new SettingsError([`CLIENT_SECRET_FILE: cannot read ${file}: ${cause.message}`]);
  });
  if (text.trim() === "") throw new SettingsError([`CLIENT_SECRET_FILE: ${file} is empty`]);
  return text.trim();
}
