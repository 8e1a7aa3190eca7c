/** The page's server: reads the settings, and runs a primary and a worker until a signal. */
import { readFile } from "node:fs/promises";
import {
  createLogger,
  findEncryptionKeys,
  isWorker,
  openMetrics,
  readServiceCommand,
  requireConnections,
  runProgram,
  SettingsError,
  type SettingsOf,
  superviseService,
} from "@stowage/process";
import { keyPurpose, settingsTable, stopGraceMs } from "./settings.ts";

/** A pool of eight for requests, and four for refreshing tokens. */
const connections = { requests: 8, others: 4 };

await runProgram("web", async ({ signal }) => {
  const { settings, onlyChecks } = readServiceCommand({
    name: "web",
    description: "Serves the page, keeps its sessions, and passes calls to the uploads service.",
    settingsTable,
    environment: process.env,
  });
  const clientSecret = await findClientSecret(settings);
  const encryptionKeys = await findEncryptionKeys(keyPurpose, {
    ...settings,
    keys: settings.sessionEncryptionKey,
    file: settings.sessionEncryptionKeyFile,
  });
  if (onlyChecks) return;
  const logger = createLogger({ name: "web", level: settings.logLevel });
  const metrics = await openMetrics({ ...settings, logger });
  if (isWorker()) {
    // Not imported by the primary, which stays small.
    const { serve } = await import("./serve.ts");
    await serve({ settings, clientSecret, encryptionKeys, logger, metrics, signal });
  } else {
    await superviseService({
      settings,
      workers: 1,
      // The workers have a database address, for which there is no default file.
      environment: async (databaseUrl) => {
        await requireConnections(connections, databaseUrl, logger);
        return "file" in encryptionKeys ? { SESSION_ENCRYPTION_KEY_FILE: encryptionKeys.file } : {};
      },
      graceMs: stopGraceMs,
      logger,
      signal,
      onReady: (pageUrl) => process.stdout.write(`web: listening on ${pageUrl}\n`),
    });
  }
  await metrics.close();
});

/** @throws {SettingsError} unless exactly one of the two settings has a secret */
async function findClientSecret({
  clientSecret,
  clientSecretFile: file,
}: SettingsOf<typeof settingsTable>): Promise<string> {
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
