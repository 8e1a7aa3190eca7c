/** The program: reads the settings, and runs a primary and a worker until a signal. */
import {
  createLogger,
  divideConnections,
  isWorker,
  openMetrics,
  readConnectionLimits,
  readServiceCommand,
  runProgram,
  superviseService,
} from "@stowage/process";
import { serviceSettings, stopGraceMs } from "./settings.ts";
import { findEncryptionKeys } from "./signing/encryption-keys.ts";

/** A pool of eight for requests, two for the signing keys, and two for the denylist. */
const connectionBudget = {
  share: 1,
  workers: 1,
  lists: 8,
  isGiven: true,
  connectionsOfWorker: (requests: number) => requests + 4,
};

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
        const limits = await readConnectionLimits(databaseUrl, logger);
        const { connectionsMax } = divideConnections({ ...connectionBudget, limits });
        logger.info({ ...limits, connectionsMax }, "database connections of this program");
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
