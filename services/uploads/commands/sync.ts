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
import type { Changed } from "../sources/directory/watch-files.ts";
import { createHintHandler } from "../sources/hints/serve-hints.ts";
import { dataFoldersOf, openSource } from "../sources/open-source.ts";
import { followSources } from "../sources/schedule/follow-sources.ts";
import { HintedRuns } from "../sources/schedule/hinted-runs.ts";
import { runSchedule } from "../sources/schedule/run-schedule.ts";
import { settingsTable } from "../sources/schedule/settings.ts";
import { SyncMetrics } from "../sources/schedule/sync-metrics.ts";
import type { Source } from "../sources/source.ts";

/** Connections beside those of runs: for due sources, for readiness, and for hints. */
const otherConnections = 3;
/** Open connections of those who ask for its health, or send hints. */
const callersMax = 1000;

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
    // A run writes on one connection, and renews its lease on another; so does a small run.
    connectionsMax: 4 * settings.sourcesAtOnceMax + otherConnections,
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
    const dataFolders = dataFoldersOf(settings);
    const { sourcesAtOnceMax, leaseMs, deletedDataDays, host, port } = settings;
    const runs = {
      pool,
      openSource: (source: Source) => openSource(source, { dataFolders, signal }),
      ...{ sourcesAtOnceMax, leaseMs, logger, signal },
      metrics: new SyncMetrics(metrics.registry),
    };
    const hinted = new HintedRuns(runs);
    const onChanged = (source: string, changed: Changed) => hinted.add(source, changed);
    const takeHints = createHintHandler({ database: pool, onHints: onChanged, logger });
    const server = new HttpServer().on("request", (request, response) => {
      if (answerHealth(request, response) || takeHints(request, response)) return;
      response.writeHead(404).end();
    });
    const connectionsMax = callersMax;
    const found = await server.listenOn({ host, port, isShared: false, connectionsMax });
    process.stdout.write(`sync: listening on ${reachableUrl(host, found)}\n`);
    const following = followSources({ pool, dataFolders, onChanged, logger, signal });
    await runSchedule({ ...runs, deletedDataDays });
    await Promise.all([hinted.ended(), following]);
    await server.closeGracefully(0);
  } finally {
    await pool.end();
    await close();
    await metrics.close();
  }
}
