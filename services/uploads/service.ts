/** The parts of one process of the service, and how they are connected. */
import { BucketsService } from "@stowage/api/stowage/v1/buckets_service_pb";
import { ContentService } from "@stowage/api/stowage/v1/content_service_pb";
import { FoldersService } from "@stowage/api/stowage/v1/folders_service_pb";
import { UploadsService } from "@stowage/api/stowage/v1/uploads_service_pb";
import { BucketFoldersService } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import {
  createHealthHandler,
  type HealthHandler,
  isWorker,
  type Logger,
  type Metrics,
  reachableUrl,
  type SettingsOf,
  serverKey,
  untilDrained,
  watchRefusedConnections,
} from "@stowage/process";
import { openTokenValidator } from "./access/token-validator.ts";
import { serveContent } from "./content/serve-content.ts";
import {
  createContentQueue,
  createFairPools,
  endPools,
  type FairPools,
  openDatabasePools,
  revocableAfterMs,
} from "./database-pools.ts";
import { openRateLimiter } from "./fairness/rate-limiter.ts";
import { shareOfWorker } from "./fairness/slots.ts";
import { createHandlers, type ServerKeys } from "./handlers.ts";
import { AnswerMemory } from "./http/answer-memory.ts";
import type { CallerChecks } from "./http/authenticate.ts";
import { shareWithOrigins } from "./http/cross-origin.ts";
import { connectionLimits, idleTimeoutFor, listen } from "./http/listen.ts";
import type { RequestListener } from "./http/node-http.ts";
import { createErrorReporter } from "./http/report-error.ts";
import { createRequestListener } from "./http/request-listener.ts";
import { serveMethod } from "./http/serve-method.ts";
import type { settingsTable } from "./settings.ts";
import { AccessLog } from "./telemetry/access-log.ts";
import { CallMetrics } from "./telemetry/call-metrics.ts";
import { createCallObserver } from "./telemetry/observe-calls.ts";

/** More than any request within the contract's other limits needs. */
const bodyBytesMax = 64 * 1024;
/** Most memory of answers that wait to be read. */
const answerBytesMax = 256 * 1024 * 1024;

type Settings = SettingsOf<typeof settingsTable>;

interface ServiceOptions {
  /** A database whose schema is current. */
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
  const { registry } = metrics;
  const pools = openDatabasePools(databaseUrl, settings, logger);
  const denylistUrl = settings.denylistDatabaseUrl ?? databaseUrl;
  const tokens = await openTokenValidator(denylistUrl, settings, { logger, signal, registry });
  const rateLimiter = openRateLimiter(databaseUrl, settings, logger);
  try {
    const listener = createListener(settings, {
      pools: createFairPools(pools, settings, metrics),
      keys: {
        cursorKey: await serverKey(pools.lists, "uploads", "cursor"),
        linkKey: await serverKey(pools.lists, "uploads", "content link"),
      },
      checks: { validator: tokens.validator, consumeRateLimit: rateLimiter.consume },
      health: createHealthHandler({
        checks: {
          database: () => pools.readiness.query("select 1"),
          denylist: tokens.checkDenylist,
        },
        signal,
        logger,
        registry,
      }),
      logger,
      metrics,
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
    await Promise.all([tokens.close(), rateLimiter.close()]);
    await endPools(pools);
  }
}

interface ListenerParts {
  readonly pools: FairPools;
  readonly keys: ServerKeys;
  readonly checks: CallerChecks;
  readonly health: HealthHandler;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

function createListener(
  settings: Settings,
  { pools, keys, checks, health, logger, metrics }: ListenerParts,
): RequestListener {
  const handlers = createHandlers(pools, settings, keys);
  const { listUploads } = BucketUploadsService.method;
  const { listFolderTree } = BucketFoldersService.method;
  const { listBuckets } = BucketsService.method;
  const { findFolders } = FoldersService.method;
  const { getUpload } = UploadsService.method;
  const { createContentLink } = ContentService.method;
  const reportError = createErrorReporter(logger);
  const memory = new AnswerMemory({ bytesMax: answerBytesMax, revocableAfterMs });
  const methodOptions = { ...checks, memory, reportError, bodyBytesMax };
  return createRequestListener({
    methods: [
      serveMethod(listUploads, handlers.listUploads, methodOptions),
      serveMethod(listFolderTree, handlers.listFolderTree, methodOptions),
      serveMethod(findFolders, handlers.findFolders, methodOptions),
      serveMethod(getUpload, handlers.getUpload, methodOptions),
      serveMethod(listBuckets, handlers.listBuckets, methodOptions),
      serveMethod(createContentLink, handlers.createContentLink, methodOptions),
    ],
    content: serveContent({
      ...checks,
      databaseFor: pools.lists,
      streams: createContentQueue(settings),
      linkKey: keys.linkKey,
    }),
    health,
    limits: settings,
    observe: createCallObserver(
      new CallMetrics(metrics.registry),
      new AccessLog(logger, settings.accessLog),
    ),
    shareWithOrigin: shareWithOrigins(settings.corsOrigins),
    reportError,
  });
}
