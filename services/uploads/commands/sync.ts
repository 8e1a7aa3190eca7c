/** `stowage serve sync`: runs sources when they are due. Any number of processes share them. */
import {
  createHealthHandler,
  createLogger,
  HttpServer,
  logStop,
  openDatabase,
  openMetrics,
  openPool,
  reachableUrl,
  readServiceCommand,
  requireWritable,
  runProgram,
  type SettingsOf,
} from "@stowage/process";
import { prepareDatabase } from "../postgres/prepare-database.ts";
import { dataFoldersOf, openSource } from "../sources/open-source.ts";
import { runSchedule } from "../sources/schedule/run-schedule.ts";
import { settingsTable } from "../sources/schedule/settings.ts";
import { SyncMetrics } from "../sources/schedule/sync-metrics.ts";

/** Connections beside those of runs: one looks for due sources, one is for readiness. */
const otherConnections = 2;
/** Open connections of those who ask for its health. */
const healthConnectionsMax = 1000;

await runProgram("sync", async ({ signal }) => {
  const { settings, onlyChecks } = await readServiceCommand({
    name: "sync",
    description: "Runs sources when they are due.",
    settingsTable,
    environment: process.env,
  });
  if (!onlyChecks) await run(settings, signal);
});

async function run(settings: SettingsOf<typeof settingsTable>, signal: AbortSignal): Promise<void> {
  const logger = createLogger({ name: "sync", level: settings.logLevel });
  logStop(signal, logger);
  const metrics = await openMetrics({ ...settings, logger });
  const { databaseUrl, close } = await openDatabase({ ...settings, logger });
  const pool = openPool({
    databaseUrl,
    // A run writes on one connection, and renews its lease on another.
    connectionsMax: 2 * settings.sourcesAtOnceMax + otherConnections,
    applicationName: "stowage-sync",
    logger,
  });
  try {
    await prepareDatabase({ databaseUrl, writes: true, logger, signal });
    const answerHealth = createHealthHandler({
      checks: { database: () => requireWritable(pool) },
      signal,
      logger,
      registry: metrics.registry,
    });
    const server = new HttpServer().on("request", (request, response) => {
      if (!answerHealth(request, response)) response.writeHead(404).end();
    });
    const { host, port } = settings;
    const connectionsMax = healthConnectionsMax;
    const found = await server.listenOn({ host, port, isShared: false, connectionsMax });
    process.stdout.write(`sync: listening on ${reachableUrl(host, found)}\n`);
    const dataFolders = dataFoldersOf(settings);
    await runSchedule({
      pool,
      openSource: (source) => openSource(source, { dataFolders, signal }),
      sourcesAtOnceMax: settings.sourcesAtOnceMax,
      leaseMs: settings.leaseMs,
      deletedDataDays: settings.deletedDataDays,
      metrics: new SyncMetrics(metrics.registry),
      logger,
      signal,
    });
    await server.closeGracefully(0);
  } finally {
    await pool.end();
    await close();
    await metrics.close();
  }
}
