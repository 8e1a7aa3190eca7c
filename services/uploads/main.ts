/** The uploads service: lists of buckets and uploads, folder trees, and the content of uploads. */
import {
  readConnectionLimits,
  readServiceCommand,
  reportReady,
  runProgram,
  runService,
} from "@stowage/process";
import { connectionBudget } from "./connection-budget.ts";
import { schemaDirectory, schemaName } from "./postgres/prepare-database.ts";
import { settingsTable } from "./settings.ts";

await runProgram("uploads", async ({ signal }) => {
  const { settings, onlyChecks } = await readServiceCommand({
    name: "uploads",
    description:
      "Lists buckets and their uploads, shows folder trees, and serves the content of uploads.",
    settingsTable,
    environment: process.env,
  });
  if (onlyChecks) return;
  const isLimitSet = Boolean(process.env.DATABASE_CONNECTIONS_MAX);
  await runService({
    name: "uploads",
    settings,
    schema: { schema: schemaName, directory: schemaDirectory },
    signal,
    workers: settings.workers,
    environment: async (databaseUrl, logger) => {
      const limits = await readConnectionLimits(databaseUrl, logger);
      const { lists, connectionsMax } = connectionBudget(settings, limits, isLimitSet);
      logger.info({ ...limits, lists, connectionsMax }, "database connections of this program");
      return { DATABASE_CONNECTIONS_MAX: `${lists}` };
    },
    graceMs: settings.shutdownGraceMs,
    serve: async (worker) => {
      const { serve } = await import("./service.ts");
      await serve(settings, { ...worker, signal, onListening: reportReady });
    },
  });
});
