/** The uploads service: `ListUploads` and `ListFolderTree` over Connect, gRPC and gRPC-Web. */
import {
  createLogger,
  isWorker,
  openDatabase,
  openMetrics,
  readConnectionLimits,
  readServiceCommand,
  reportReady,
  runProgram,
  type SettingsOf,
  superviseService,
} from "@stowage/process";
import { connectionBudget } from "./connection-budget.ts";
import { settingsTable } from "./settings.ts";

await runProgram("uploads", async ({ signal }) => {
  const { settings, onlyChecks } = readServiceCommand({
    name: "uploads",
    description: "Lists the uploads of buckets and shows their folder trees.",
    settingsTable,
    environment: process.env,
  });
  if (!onlyChecks) await run(settings, signal);
});

/** The primary starts workers, which run this program again. */
async function run(settings: SettingsOf<typeof settingsTable>, signal: AbortSignal): Promise<void> {
  const isGiven = Boolean(process.env.DATABASE_CONNECTIONS_MAX);
  const logger = createLogger({ name: "uploads", level: settings.logLevel });
  const metrics = await openMetrics({ ...settings, logger });
  if (isWorker()) {
    // Not imported by the primary, which stays small.
    const { serve } = await import("./service.ts");
    const { databaseUrl } = await openDatabase({ ...settings, logger });
    await serve(settings, { databaseUrl, logger, metrics, signal, onListening: reportReady });
  } else {
    await superviseService({
      settings,
      workers: settings.workers,
      environment: async (databaseUrl) => {
        const limits = await readConnectionLimits(databaseUrl, logger);
        const budget = connectionBudget(settings, limits, isGiven);
        logger.info({ ...limits, ...budget }, "database connections of this program");
        return { DATABASE_CONNECTIONS_MAX: `${budget.lists}` };
      },
      graceMs: settings.shutdownGraceMs,
      logger,
      signal,
      onReady: (address) => process.stdout.write(`uploads: listening on ${address}\n`),
    });
  }
  await metrics.close();
}
