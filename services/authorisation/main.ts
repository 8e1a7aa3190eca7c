/** The program: reads the settings, and runs a primary and a worker until a signal. */
import {
  createLogger,
  isWorker,
  openMetrics,
  readServiceCommand,
  requireConnections,
  runProgram,
  superviseService,
} from "@stowage/process";
import { serviceSettings, stopGraceMs } from "./settings.ts";
import { findEncryptionKeys } from "./signing/encryption-keys.ts";

/** A pool of eight for requests, two for the signing keys, and two for the denylist. */
const connections = { requests: 8, others: 4 };

await runProgram("authorisation", async ({ signal }) => {
  const { settings, onlyChecks } = readServiceCommand({
    name: "authorisation",
    description: "Issues access tokens to the clients that were added with the command clients.",
    settingsTable: serviceSettings,
    environment: process.env,
  });
  const encryptionKeys = await findEncryptionKeys(settings);
  if (onlyChecks) return;
  const logger = createLogger({ name: "authorisation", level: settings.logLevel });
  const metrics = await openMetrics({ ...settings, logger });
  if (isWorker()) {
    // Not imported by the primary, which stays small.
    const { serve } = await import("./serve.ts");
    await serve(settings, { encryptionKeys, logger, metrics, signal });
  } else {
    await superviseService({
      settings,
      workers: 1,
      // The workers have a database address, for which there is no default file.
      environment: async (databaseUrl) => {
        await requireConnections(connections, databaseUrl, logger);
        return "file" in encryptionKeys ? { KEY_ENCRYPTION_KEY_FILE: encryptionKeys.file } : {};
      },
      graceMs: stopGraceMs,
      logger,
      signal,
      onReady: (authUrl) => process.stdout.write(`authorisation: listening on ${authUrl}\n`),
    });
  }
  await metrics.close();
});
