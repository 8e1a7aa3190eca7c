/** The uploads service: `ListUploads` and `ListFolderTree` over Connect, gRPC and gRPC-Web. */
import { randomBytes } from "node:crypto";
import { compressionGzip } from "@connectrpc/connect-node";
import { createAccessTokenValidator, remoteKeySet } from "@stowage/access-token";
import { BucketFoldersService } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import {
  createHealthHandler,
  createLogger,
  describeSettings,
  exitOnWrongUsage,
  type Logger,
  openDatabase,
  openPool,
  reachableUrl,
  readSettings,
  runProgram,
  type SettingsOf,
} from "@stowage/process";
import { Command } from "commander";
import sql from "sql-template-tag";
import { listFolderTreeHandler } from "./rpc/list-folder-tree.ts";
import { listUploadsHandler } from "./rpc/list-uploads.ts";
import { createBucketReader } from "./rpc/open-bucket.ts";
import { RightOfWay } from "./rpc/right-of-way.ts";
import { keySetLog } from "./server/key-set-log.ts";
import { connectionLimits, listen } from "./server/listen.ts";
import { serveMethod } from "./server/methods.ts";
import { openDenylist } from "./server/open-denylist.ts";
import { createRefuser } from "./server/refuser.ts";
import { createRequestListener } from "./server/request-listener.ts";
import { settingsTable } from "./settings.ts";
import { createDatabase } from "./store/database.ts";
import { listPlanSettings } from "./store/list-plans/list-plan.ts";
import { prepareDatabase } from "./store/prepare-database.ts";
import { TappedClient } from "./store/row-tap.ts";
import { serverKey } from "./store/server-keys.ts";

/** Larger than any request that keeps the contract's other limits. */
const bodyBytesMax = 64 * 1024;
const cursorKeyBytes = 32;
/** What a statement may run beyond the time of its call. */
const statementSlackMs = 1000;
const cancelTimeoutMs = 5000;

const settingsHelp = `\nSettings come from the environment:\n${describeSettings(settingsTable)}`;

await runProgram("uploads", async ({ signal }) => {
  const program = new Command("uploads")
    .description("Lists the uploads of buckets and shows their folder trees.")
    .option("--check-settings", "only say whether the settings are right")
    .addHelpText("after", settingsHelp);
  exitOnWrongUsage(program);
  program.parse();

  const settings = readSettings(settingsTable, process.env);
  if (!program.opts().checkSettings) await serve(settings, signal);
});

async function serve(settings: SettingsOf<typeof settingsTable>, signal: AbortSignal) {
  const logger = createLogger({ name: "uploads", level: settings.logLevel });
  const { databaseUrl, close } = await openDatabase({ ...settings, logger });
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
    const rightOfWay = new RightOfWay();
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
          rightOfWay.short(listUploadsHandler({ database, cursorKey, readBucket })),
          unary,
        ),
        serveMethod(
          BucketFoldersService.method.listFolderTree,
          listFolderTreeHandler(createDatabase(treePool, cancelPool), rightOfWay, settings),
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
    const server = await listen(settings, listener, {
      ...connectionLimits,
      // While a call runs, nothing may move on its connection.
      idleTimeoutMs: settings.timeoutMaxMs + connectionLimits.idleTimeoutMs,
    });
    process.stdout.write(`uploads: listening on ${reachableUrl(server.host, server.port)}\n`);
    await untilStopped(signal);
    await server.close(settings.shutdownGraceMs);
  } finally {
    await denylist.close();
    // A call that was cut off is still to be cancelled.
    await Promise.all([pool.end(), treePool.end()]);
    await cancelPool.end();
    await close();
  }
}

function openPools(
  databaseUrl: string,
  settings: SettingsOf<typeof settingsTable>,
  logger: Logger,
) {
  const options = { databaseUrl, applicationName: "stowage-uploads", logger };
  // Ends what a lost request to cancel has left running.
  const statementTimeoutMs = settings.timeoutMaxMs + statementSlackMs;
  return {
    pool: openPool({
      ...options,
      connectionsMax: settings.databaseConnectionsMax,
      statementTimeoutMs,
      serverSettings: listPlanSettings,
      Client: TappedClient,
    }),
    // A tree holds its connection for as long as the caller takes to read it.
    treePool: openPool({
      ...options,
      connectionsMax: settings.treeConnectionsMax,
      statementTimeoutMs,
    }),
    cancelPool: openPool({ ...options, connectionsMax: 2, answerTimeoutMs: cancelTimeoutMs }),
  };
}

async function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}
