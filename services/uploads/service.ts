/** What one process of the service is made of. */
import { randomBytes } from "node:crypto";
import { compressionGzip } from "@connectrpc/connect-node";
import { createAccessTokenValidator, remoteKeySet } from "@stowage/access-token";
import { BucketFoldersService } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import {
  createHealthHandler,
  isWorker,
  type Logger,
  openPool,
  reachableUrl,
  type SettingsOf,
} from "@stowage/process";
import sql from "sql-template-tag";
import { createBucketReader } from "./access/open-bucket.ts";
import { BufferPool } from "./http/buffer-pool.ts";
import { keySetLog } from "./http/key-set-log.ts";
import { connectionLimits, listen } from "./http/listen.ts";
import { serveMethod } from "./http/methods.ts";
import { openDenylist } from "./http/open-denylist.ts";
import { createRefuser } from "./http/refuser.ts";
import { createRequestListener } from "./http/request-listener.ts";
import { listUploadsHandler } from "./lists/list-uploads.ts";
import { listPlanSettings } from "./lists/plans/list-plan.ts";
import { createDatabase } from "./postgres/database.ts";
import { prepareDatabase } from "./postgres/prepare-database.ts";
import { TappedClient } from "./postgres/raw-row-reader.ts";
import { serverKey } from "./postgres/server-keys.ts";
import type { settingsTable } from "./settings.ts";
import { listFolderTreeHandler } from "./trees/list-folder-tree.ts";
import { Yielding } from "./trees/yielding.ts";

/** Larger than any request that keeps the contract's other limits. */
const bodyBytesMax = 64 * 1024;
const cursorKeyBytes = 32;
/** What a statement may run beyond the time of its call. */
const statementSlackMs = 1000;
const cancelTimeoutMs = 5000;

type Settings = SettingsOf<typeof settingsTable>;

export interface ServiceOptions {
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Aborts when the process is to end. */
  readonly signal: AbortSignal;
  /** Called with the address once calls are served there. */
  readonly onListening: (address: string) => void;
}

/** Serves calls until the signal aborts, and those under way to their end. */
export async function serve(
  settings: Settings,
  { databaseUrl, logger, signal, onListening }: ServiceOptions,
): Promise<void> {
  const { pool, treePool, cancelPool } = openPools(databaseUrl, settings, logger);
  const denylist = await openDenylist(settings.denylistDatabaseUrl ?? databaseUrl, settings, {
    logger,
    signal,
  });
  try {
    await prepareDatabase(databaseUrl, logger);
    const cursorKey = await serverKey(pool, "cursor", () => randomBytes(cursorKeyBytes));
    const database = createDatabase(pool, cancelPool);
    const readBucket = createBucketReader(database);
    const validator = createAccessTokenValidator({
      issuer: settings.authUrl,
      audience: settings.audience,
      keySet: remoteKeySet({ issuer: settings.authUrl, onEvent: keySetLog(logger) }),
      denylist: denylist.denylist,
      clockToleranceSeconds: settings.clockToleranceS,
    });
    const yielding = new Yielding();
    const buffers = new BufferPool();
    const unary = {
      validator,
      refuse: createRefuser(logger),
      bodyBytesMax,
      compressions: [compressionGzip],
    };
    const listener = createRequestListener({
      methods: [
        serveMethod(
          BucketUploadsService.method.listUploads,
          yielding.short(listUploadsHandler({ readBucket, cursorKey, buffers })),
          unary,
        ),
        serveMethod(
          BucketFoldersService.method.listFolderTree,
          listFolderTreeHandler(createDatabase(treePool, cancelPool), yielding, settings),
          unary,
        ),
      ],
      health: createHealthHandler({
        checks: {
          database: (checkSignal) =>
            database.read({ signal: checkSignal }, (run) => run(sql`select 1`)),
          denylist: denylist.check,
        },
        signal,
        logger,
      }),
      timeoutMaxMs: settings.timeoutMaxMs,
      logger,
    });
    const server = await listen({ ...settings, isShared: isWorker() }, listener, {
      ...connectionLimits,
      // While a call runs, nothing may move on its connection.
      idleTimeoutMs: settings.timeoutMaxMs + connectionLimits.idleTimeoutMs,
    });
    onListening(reachableUrl(server.host, server.port));
    await untilStopped(signal);
    await server.close(settings.shutdownGraceMs);
  } finally {
    await denylist.close();
    // A call that was cut off is still to be cancelled.
    await Promise.all([pool.end(), treePool.end()]);
    await cancelPool.end();
  }
}

function openPools(databaseUrl: string, settings: Settings, logger: Logger) {
  const options = { databaseUrl, applicationName: "stowage-uploads", logger };
  // Ends what a lost request to cancel has left running.
  const statementTimeoutMs = settings.timeoutMaxMs + statementSlackMs;
  return {
    pool: openPool({
      ...options,
      connectionsMax: shareOf(settings.databaseConnectionsMax, settings),
      statementTimeoutMs,
      serverSettings: listPlanSettings,
      Client: TappedClient,
    }),
    // A tree holds its connection for as long as the caller takes to read it.
    treePool: openPool({
      ...options,
      connectionsMax: shareOf(settings.treeConnectionsMax, settings),
      statementTimeoutMs,
      Client: TappedClient,
    }),
    cancelPool: openPool({ ...options, connectionsMax: 2, answerTimeoutMs: cancelTimeoutMs }),
  };
}

async function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

/** What one worker has of something that all have together. */
function shareOf(inAll: number, { workers }: Settings): number {
  return Math.max(1, Math.floor(inAll / workers));
}
