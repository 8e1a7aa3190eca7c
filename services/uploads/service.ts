/** The parts of one process of the service. */
import { BucketsService } from "@stowage/api/stowage/v1/buckets_service_pb";
import { ContentService } from "@stowage/api/stowage/v1/content_service_pb";
import { BucketFoldersService } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import {
  createHealthHandler,
  isWorker,
  type Logger,
  type Metrics,
  openPool,
  reachableUrl,
  type SettingsOf,
  serverKey,
  untilDrained,
  watchRefusedConnections,
} from "@stowage/process";
import { createBucketReader } from "./access/bucket-reader.ts";
import { openTokenValidator } from "./access/token-validator.ts";
import { listBucketsHandler } from "./buckets/list-buckets.ts";
import { createContentLinkHandler } from "./content/create-content-link.ts";
import { serveContent } from "./content/serve-content.ts";
import { openCallRates } from "./fairness/call-rates.ts";
import { CooperativeScheduler } from "./fairness/cooperative-scheduler.ts";
import { type SharedLimits, sharePool, shareSlots } from "./fairness/shared-pool.ts";
import { connectionsFor, shareOfWorker } from "./fairness/slots.ts";
import { AnswerMemory } from "./http/answer-memory.ts";
import { BufferPool } from "./http/buffer-pool.ts";
import { shareWithOrigins } from "./http/cross-origin.ts";
import { connectionLimits, idleTimeoutFor, listen } from "./http/listen.ts";
import { createErrorReporter } from "./http/report-error.ts";
import { createRequestListener, serveMethod } from "./http/request-listener.ts";
import { listUploadsHandler } from "./lists/list-uploads.ts";
import { listSessionSettings } from "./lists/plans/statement.ts";
import { prepareDatabase } from "./postgres/prepare-database.ts";
import { RawClient } from "./postgres/raw-client.ts";
import type { settingsTable } from "./settings.ts";
import { AccessLog } from "./telemetry/access-log.ts";
import { CallMetrics } from "./telemetry/call-metrics.ts";
import { createCallObserver } from "./telemetry/observe-calls.ts";
import { listFolderTreeHandler } from "./trees/list-folder-tree.ts";

/** More than any request within the contract's other limits needs. */
const bodyBytesMax = 64 * 1024;
/** These statements take milliseconds unless the database is overloaded or a table is locked. */
const shortStatementTimeoutMs = 5000;
/** Most memory of answers that wait to be read. */
const answerBytesMax = 256 * 1024 * 1024;
/** Ends a statement when the request to cancel it was lost. */
const statementSlackMs = 1000;
const cancelTimeoutMs = 5000;
const readinessTimeoutMs = 2000;
/**
 * Callers may read slowly for days, but not while an organisation waits that has no tree or no
 * stream of content, or while calls wait for the memory of answers.
 */
const revocableAfterMs = 60_000;

type Settings = SettingsOf<typeof settingsTable>;

interface ServiceOptions {
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Aborts when the process is to end. */
  readonly signal: AbortSignal;
  /** Called with the address when calls are served there. */
  readonly onListening: (address: string) => void;
}

/** Serves calls until the signal aborts, and waits for the running ones. */
export async function serve(
  settings: Settings,
  { databaseUrl, logger, metrics, signal, onListening }: ServiceOptions,
): Promise<void> {
  const pools = openPools(databaseUrl, settings, logger);
  const { pool, longScanPool, treePool, cancelPool, readinessPool } = pools;
  const denylistUrl = settings.denylistDatabaseUrl ?? databaseUrl;
  const { registry } = metrics;
  const tokens = await openTokenValidator(denylistUrl, settings, { logger, signal, registry });
  const callRates = openCallRates(databaseUrl, settings, logger);
  try {
    await prepareDatabase(databaseUrl, logger);
    const cursorKey = await serverKey(pool, "uploads", "cursor");
    const linkKey = await serverKey(pool, "uploads", "content link");
    const shared = sharePools(pools, settings, metrics);
    const keys = { cursorKey, linkKey };
    const { listUploads, listFolderTree, listBuckets, createLink } = handlers(
      shared,
      settings,
      keys,
    );

    const methodOptions = {
      validator: tokens.validator,
      countCall: callRates.count,
      memory: new AnswerMemory({ bytesMax: answerBytesMax, revocableAfterMs }),
      reportError: createErrorReporter(logger),
      bodyBytesMax,
    };
    const listener = createRequestListener({
      methods: [
        serveMethod(BucketUploadsService.method.listUploads, listUploads, methodOptions),
        serveMethod(BucketFoldersService.method.listFolderTree, listFolderTree, methodOptions),
        serveMethod(BucketsService.method.listBuckets, listBuckets, methodOptions),
        serveMethod(ContentService.method.createContentLink, createLink, methodOptions),
      ],
      content: serveContent({
        ...methodOptions,
        databaseOf: shared.lists,
        streams: shareSlots(slotsOf(settings).content, sharedLimits(settings), revocableAfterMs),
        linkKey,
      }),
      health: createHealthHandler({
        checks: {
          database: () => readinessPool.query("select 1"),
          denylist: tokens.checkDenylist,
        },
        signal,
        logger,
        registry,
      }),
      limits: settings,
      observe: createCallObserver(
        new CallMetrics(registry),
        new AccessLog(logger, settings.accessLog),
      ),
      shareWithOrigin: shareWithOrigins(settings.corsOrigins),
      logger,
    });
    const server = await listen({ ...settings, isShared: isWorker() }, listener, {
      ...connectionLimits,
      idleTimeoutMs: idleTimeoutFor(settings),
      keepAliveTimeoutMs: settings.keepAliveTimeoutMs,
      addressConnectionsMax: shareOfWorker(settings.addressConnectionsMax, settings.workers),
      trustedProxies: settings.trustedProxies,
      onRefused: watchRefusedConnections(registry, logger),
    });
    onListening(reachableUrl(server.host, server.port));
    signal.addEventListener("abort", server.drain);
    await untilDrained(signal, settings.drainMs);
    await server.close(settings.shutdownGraceMs);
  } finally {
    await Promise.all([tokens.close(), callRates.close()]);
    // Statements of calls that were cut off are cancelled before the cancel pool ends.
    const ending = [pool, longScanPool, treePool, readinessPool];
    await Promise.all(ending.map((each) => each.end()));
    await cancelPool.end();
  }
}

interface ServerKeys {
  readonly cursorKey: Uint8Array;
  readonly linkKey: Uint8Array;
}

function handlers(
  { lists, longScans, trees }: ReturnType<typeof sharePools>,
  settings: Settings,
  { cursorKey, linkKey }: ServerKeys,
) {
  const { longScanTimeoutMs: longTimeoutMs, treeNodesMax } = settings;
  const { baseUrl = reachableUrl(settings.host, settings.port) } = settings;
  const { contentOrigin = baseUrl } = settings;
  const readBucket = createBucketReader({ short: lists, long: longScans, longTimeoutMs });
  const buffers = new BufferPool();
  const scheduler = new CooperativeScheduler();
  const lister = listUploadsHandler({ readBucket, cursorKey, buffers, baseUrl });
  return {
    listUploads: scheduler.trackShort(lister),
    listFolderTree: listFolderTreeHandler(trees, scheduler, { treeNodesMax, baseUrl }),
    listBuckets: listBucketsHandler({ databaseOf: lists, cursorKey }),
    createLink: createContentLinkHandler({ databaseOf: lists, linkKey, contentOrigin }),
  };
}

function openPools(databaseUrl: string, settings: Settings, logger: Logger) {
  const options = { databaseUrl, applicationName: "stowage-uploads", logger };
  const slots = slotsOf(settings);
  const listOptions = { ...options, serverSettings: listSessionSettings, Client: RawClient };
  return {
    pool: openPool({
      ...listOptions,
      connectionsMax: connectionsFor(slots.lists),
      statementTimeoutMs: shortStatementTimeoutMs,
    }),
    // Slow searches must leave processors to other calls.
    longScanPool: openPool({
      ...listOptions,
      connectionsMax: connectionsFor(slots.longScans),
      statementTimeoutMs: settings.longScanTimeoutMs + statementSlackMs,
    }),
    // The statement of a tree runs until the caller has read the tree, so it has no timeout. It
    // ends when its connection is closed.
    treePool: openPool({
      ...options,
      connectionsMax: connectionsFor(slots.trees),
      serverSettings: {
        statement_timeout: "0",
        client_connection_check_interval: "1s",
        // Whatever the database's own default is: a tree is planned for its values.
        plan_cache_mode: "force_custom_plan",
      },
      Client: RawClient,
    }),
    cancelPool: openPool({ ...options, connectionsMax: 2, answerTimeoutMs: cancelTimeoutMs }),
    // Readiness must not wait for calls.
    readinessPool: openPool({
      ...options,
      connectionsMax: 1,
      answerTimeoutMs: readinessTimeoutMs,
    }),
  };
}

function sharePools(
  { pool, longScanPool, treePool, cancelPool }: ReturnType<typeof openPools>,
  settings: Settings,
  metrics: Metrics,
) {
  const shared = {
    cancelPool,
    ...sharedLimits(settings),
    metrics: metrics.pools,
  };
  const { lists, longScans, trees } = slotsOf(settings);
  return {
    lists: sharePool({ ...shared, name: "lists", pool, slots: lists }),
    longScans: sharePool({ ...shared, name: "long_scans", pool: longScanPool, slots: longScans }),
    trees: sharePool({
      ...shared,
      name: "trees",
      pool: treePool,
      slots: trees,
      revocableAfterMs,
    }),
  };
}

/** The slots of one worker for calls of each kind. */
function slotsOf({ workers, ...settings }: Settings) {
  return {
    lists: shareOfWorker(settings.databaseConnectionsMax, workers),
    longScans: shareOfWorker(settings.longScanConnectionsMax, workers),
    trees: shareOfWorker(settings.treeConnectionsMax, workers),
    content: shareOfWorker(settings.contentStreamsMax, workers),
  };
}

function sharedLimits(settings: Settings): SharedLimits {
  const { tenantWeights, waitingCallsMax, workers } = settings;
  return { tenantWeights, waitingMax: shareOfWorker(waitingCallsMax, workers) };
}
