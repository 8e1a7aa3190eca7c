/** A worker of the service: puts its parts together, and serves until a signal. */
import { env } from "node:process";
import {
  AccessLines,
  addressText,
  createHealthHandler,
  type EncryptionKey,
  type EncryptionKeySource,
  type Logger,
  listenHttp,
  type Metrics,
  openEncryptionKeys,
  openPool,
  reachableUrl,
  reportReady,
  requireWritable,
  type SettingsOf,
  untilDrained,
  watchRefusedConnections,
} from "@stowage/process";
import type pg from "pg";
import { startBackgroundWork } from "./background-work.ts";
import { createRequestHandler, type Route } from "./http/request-handler.ts";
import { Issuer } from "./issuer/issuer.ts";
import { createServiceMetrics, type ServiceMetrics } from "./metrics/service-metrics.ts";
import { cookieNameFor } from "./model/cookies.ts";
import { otherPaths, readStaticFiles, type StaticFiles, serveFiles } from "./page/static-files.ts";
import { callPaths, forwardCall } from "./proxy/calls.ts";
import { serveContent } from "./proxy/content.ts";
import { forwardToUploads } from "./proxy/uploads.ts";
import { Upstream } from "./proxy/upstream.ts";
import { checkNames } from "./session/checks.ts";
import { Sessions } from "./session/sessions.ts";
import { TokenRefresher } from "./session/token-refresher.ts";
import { TokenVault } from "./session/token-vault.ts";
import { connections, keyPurpose, type settingsTable, stopGraceMs } from "./settings.ts";
import { backChannelLogout } from "./sign-in/back-channel.ts";
import { beginSignIn } from "./sign-in/begin.ts";
import { finishSignIn } from "./sign-in/finish.ts";
import { PendingSignIns } from "./sign-in/pending.ts";
import { showSession, signOut } from "./sign-in/session-answers.ts";
import { isAnySessionStored } from "./store/sessions.ts";

type Settings = SettingsOf<typeof settingsTable>;

export interface ServiceOptions {
  readonly settings: Settings;
  /** A database whose schema is current. */
  readonly databaseUrl: string;
  readonly clientSecret: string;
  readonly encryptionKeys: EncryptionKeySource;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "registry" | "pools">;
  /** Aborts when the service is about to stop: from then on it is not ready. */
  readonly signal: AbortSignal;
}

/** A running service. */
export interface Service {
  /** The page's origin. */
  readonly origin: string;
  readonly port: number;
  /** Finishes running requests, accepts no others, and closes the database connections. */
  stop(): Promise<void>;
}

/** Statements take milliseconds, unless the database is overloaded. */
const statementTimeoutMs = 5000;
/** A refresh may wait for another one of the same session, and for the issuer. */
const refreshTimeoutMs = 20_000;

/** Serves requests until the signal aborts, and waits for the running ones. */
export async function serve(options: ServiceOptions): Promise<void> {
  const { settings, signal } = options;
  const service = await startService(options);
  reportReady(addressText(settings.host, service.port, service.origin));
  await untilDrained(signal, settings.drainMs);
  await service.stop();
}

/** Starts the service. It answers requests when this resolves. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { settings, logger, metrics, signal } = options;
  const files = await readStaticFiles(settings.pageDir);
  const pools = openPools(options);
  const endPools = () => Promise.all([pools.pool.end(), pools.refreshPool.end()]);
  try {
    const keys = await openEncryptionKeys(keyPurpose, {
      source: options.encryptionKeys,
      isInUse: () => isAnySessionStored(pools.pool),
      logger,
    });
    // It listens first, since its address may depend on the port that the system chooses. There is
    // no `await` before the handler is set: a request read without one would get no answer.
    const { registry } = metrics;
    const onRefused = watchRefusedConnections(registry, logger);
    const { server, port } = await listenHttp({ ...settings, onRefused });
    const origin = settings.pageUrl ?? reachableUrl(settings.host, port);
    const serviceMetrics = createServiceMetrics(registry, checkNames);
    const handler = createRequestHandler({
      routes: routesOf({ ...options, ...pools, keys, files, origin, serviceMetrics }),
      origin,
      health: createHealthHandler({
        checks: { database: () => requireWritable(pools.pool) },
        signal,
        logger,
        registry,
      }),
      metrics: serviceMetrics,
      accessLines: new AccessLines(logger, settings.accessLog),
      logger,
    });
    server.on("request", handler);
    const stopWork = startBackgroundWork({ ...lifetimes(settings), pool: pools.pool, logger });
    return {
      origin,
      port,
      async stop() {
        await server.closeGracefully(stopGraceMs);
        await stopWork();
        await endPools();
      },
    };
  } catch (error) {
    await endPools();
    throw error;
  }
}

function openPools({ databaseUrl, logger, metrics }: ServiceOptions) {
  const common = { databaseUrl, applicationName: "stowage-web", logger };
  const pool = openPool({ ...common, connectionsMax: connections.requests, statementTimeoutMs });
  const refreshPool = openPool({
    ...common,
    connectionsMax: connections.refreshes,
    statementTimeoutMs: refreshTimeoutMs,
  });
  metrics.pools.watch("requests", pool);
  metrics.pools.watch("refreshes", refreshPool);
  return { pool, refreshPool };
}

function lifetimes({ pageSessionIdleS, pageSessionMaxS }: Settings) {
  return { idleSecondsMax: pageSessionIdleS, ageSecondsMax: pageSessionMaxS };
}

interface Parts extends ServiceOptions {
  readonly pool: pg.Pool;
  readonly refreshPool: pg.Pool;
  readonly keys: readonly EncryptionKey[];
  readonly files: StaticFiles;
  readonly origin: string;
  readonly serviceMetrics: ServiceMetrics;
}

/** Every address of the service, besides its health. */
function routesOf(parts: Parts): readonly Route[] {
  const { settings, origin, logger, serviceMetrics: count, keys } = parts;
  const redirectUri = `${origin}/signed-in`;
  const issuer = new Issuer({ ...settings, ...parts, redirectUri });
  const vault = new TokenVault(keys);
  const cookieName = cookieNameFor(origin, settings.sessionCookie);
  const sessions = new Sessions({
    ...parts,
    ...lifetimes(settings),
    cookieName,
    vault,
    countRefusal: (check) => count.refusals.inc({ check }),
    tokenRefresher: new TokenRefresher({
      ...parts,
      issuer,
      vault,
      count: (result) => count.refreshes.inc({ result }),
    }),
    requestsMax: settings.sessionRequestsMax,
    personContentMax: settings.personContentMax,
    personSessionsMax: settings.personSessionsMax,
  });
  const pending = new PendingSignIns({
    keys,
    lifetimeSeconds: settings.pendingSignInS,
    pendingMax: settings.pendingSignInsMax,
    cookiePrefix: `${cookieName}-sign-in-`,
  });
  const forward = forwardToUploads({ ...settings, upstream: new Upstream(), logger });
  const content = serveContent({
    sessions,
    // Downloads take long: calls must not wait for them.
    forward: forwardToUploads({ ...settings, upstream: new Upstream(), logger }),
    stores: new Upstream({}, env),
    hasOwnOrigin: settings.contentOrigin !== undefined,
  });
  const countSignIn = (result: string) => count.signIns.inc({ result });
  const signIn = { ...parts, issuer, pending, sessions, count: countSignIn };
  const files = { methods: ["GET", "HEAD"], handle: serveFiles(parts.files) };
  return [
    { name: "page", path: "/", ...files },
    { name: "assets", path: "/assets/", ...files },
    { name: "sign_in", path: "/sign-in", methods: ["GET"], handle: beginSignIn(signIn) },
    { name: "signed_in", path: "/signed-in", methods: ["GET"], handle: finishSignIn(signIn) },
    { name: "sign_out", path: "/sign-out", methods: ["POST"], handle: signOut(signIn) },
    {
      name: "back_channel_logout",
      path: "/back-channel-logout",
      methods: ["POST"],
      handle: backChannelLogout(signIn),
    },
    { name: "session", path: "/session", methods: ["GET"], handle: showSession({ sessions }) },
    { name: "content", path: "/content/", methods: files.methods, handle: content },
    ...callPaths.map((path) => ({
      name: path.slice(path.lastIndexOf("/") + 1),
      path,
      methods: ["POST"],
      handle: forwardCall(path, { sessions, forward }),
    })),
    // Last: no file of a build takes the place of another address.
    ...otherPaths(parts.files).map((path) => ({ name: "files", path, ...files })),
  ];
}
