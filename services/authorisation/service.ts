/** A worker of the service: puts its parts together, and serves until a signal. */
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
import { sessionUserCodesPerMinuteMax } from "./devices/user-code-limits.ts";
import { callerAddress } from "./http/caller-address.ts";
import { knownDeviceCookie } from "./http/cookies.ts";
import { createFaultReporter } from "./http/error-answers.ts";
import { createRequestHandler } from "./http/request-handler.ts";
import type { IdentityProvider } from "./identity-provider/settings.ts";
import { addressRequestsPerMinute, requestsPerMinute } from "./limits/rate-limiter.ts";
import { createServiceMetrics, type ServiceMetrics } from "./metrics/service-metrics.ts";
import { createProvider } from "./provider/create-provider.ts";
import {
  keyPurpose,
  requestConnectionsMax,
  type serviceSettings,
  stopGraceMs,
} from "./settings.ts";
import { limitLogins } from "./sign-in/login-attempts.ts";
import { type KeyRing, openKeyRing } from "./signing/key-ring.ts";
import { measureKeys } from "./signing/measure-keys.ts";
import { prepareSigningKeys } from "./signing/prepare-keys.ts";
import { measureDenylist, type OpenDenylist, openDenylist } from "./store/denylist.ts";
import { clientSecretKey, knownDeviceKey, sessionKey } from "./store/server-keys.ts";
import { isAnyKeySealed } from "./store/signing-keys.ts";

/** Statements take milliseconds, unless the database is overloaded or a row is locked. */
const statementTimeoutMs = 10_000;
/**
 * Without a network, a request waits this long for a connection, so that it can be tried again well
 * within the grace of refresh tokens.
 */
const networkWaitMs = 3000;

type Settings = SettingsOf<typeof serviceSettings>;

/** What the service needs. */
export interface ServiceOptions extends Omit<Settings, "databaseUrl"> {
  /** A database whose schema is current. */
  databaseUrl: string;
  /** Another provider at which people may sign in. */
  identityProvider?: IdentityProvider | undefined;
  /** The keys that encrypt the signing keys in the database. */
  encryptionKeys: EncryptionKeySource;
  metrics: Pick<Metrics, "registry" | "pools">;
  logger: Logger;
  /** Aborted when the service is about to stop: from then on it is not ready. */
  signal: AbortSignal;
}

/** A running service. */
export interface Service {
  /** The issuer. */
  authUrl: string;
  /** The port it listens on. */
  port: number;
  /** Finishes running requests, accepts no others, and closes the database connections. */
  stop(): Promise<void>;
}

/** Serves requests until the signal aborts, and waits for the running ones. */
export async function serve(options: ServiceOptions): Promise<void> {
  const { signal, drainMs } = options;
  const service = await startService(options);
  reportReady(addressText(options.host, service.port, service.authUrl));
  await untilDrained(signal, drainMs);
  await service.stop();
}

/** Starts the service. It answers requests when this resolves. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { databaseUrl, logger, signal } = options;
  const pool = openRequestPool(options);
  const metrics = createServiceMetrics(options.metrics.registry);
  const rates = requestRates(options, metrics);
  let signingKeys: KeyRing | undefined;
  let followed: OpenDenylist | undefined;
  let stopWork: (() => Promise<void>) | undefined;
  const close = async () => {
    await stopWork?.();
    await signingKeys?.stop();
    await followed?.close();
    await pool.end();
  };
  try {
    const encryptionKeys = await prepareKeys(pool, options);
    signingKeys = await openKeyRing({ databaseUrl, lookupPool: pool, encryptionKeys, logger });
    followed = await openDenylist(databaseUrl, logger);
    measureKeys(options.metrics.registry, signingKeys);
    measureDenylist(options.metrics.registry, followed.denylist);
    const keysOfServer = {
      clientSecretKey: await clientSecretKey(pool),
      sessionKey: await sessionKey(pool),
    };
    const key = await knownDeviceKey(pool);
    // It listens first, since the issuer may depend on the port that the system chooses. There is
    // no `await` before the handler is set: a request read without one would get no answer.
    const onRefused = watchRefusedConnections(options.metrics.registry, logger);
    const { server, port } = await listenHttp({ ...options, onRefused });
    const authUrl = options.authUrl ?? reachableUrl(options.host, port);
    stopWork = startBackgroundWork({ ...options, pool, signingKeys, authUrl, metrics });
    const provider = createProvider({
      ...options,
      ...providerSettings(options),
      authUrl,
      signingKeys,
      denylist: followed.denylist,
      identityProvider: options.identityProvider,
      clientRate: rates.client,
      ...keysOfServer,
      attempts: limitLogins({ rates: rates.logins, key, cookie: knownDeviceCookie(authUrl) }),
      userCodeRates: rates.userCodes,
      reportFault: createFaultReporter(logger),
      pool,
      metrics,
    });
    const keys = signingKeys;
    const checks = {
      database: () => requireWritable(pool),
      "signing keys": async () => keys.checkUsable(),
    };
    const health = createHealthHandler({
      checks,
      signal,
      logger,
      registry: options.metrics.registry,
    });
    const handler = createRequestHandler({
      authUrl,
      callerAddress: callerAddress(options.trustedProxies),
      addressRate: rates.address,
      metrics,
      accessLines: new AccessLines(logger, options.accessLog),
      logger,
      health,
      provider: provider.callback(),
    });
    server.on("request", handler);
    return {
      authUrl,
      port,
      async stop() {
        await server.closeGracefully(stopGraceMs);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the connections that answer requests. */
function openRequestPool({ databaseUrl, metrics, logger }: ServiceOptions): pg.Pool {
  const pool = openPool({
    databaseUrl,
    connectionsMax: requestConnectionsMax,
    applicationName: "stowage-authorisation",
    statementTimeoutMs,
    waitMaxMs: networkWaitMs,
    logger,
  });
  metrics.pools.watch("requests", pool);
  return pool;
}

/** The settings as the provider names them. */
function providerSettings(settings: ServiceOptions) {
  return {
    audiences: settings.audience,
    keyPublicationSeconds: settings.keyPublicationS,
    lifetimes: {
      accessToken: settings.accessTokenLifetimeS,
      sessionIdle: settings.sessionIdleS,
      sessionMax: settings.sessionMaxS,
      providerSession: settings.authProviderSessionS,
      refreshTokenIdle: settings.refreshTokenIdleS,
      refreshTokenMax: settings.refreshTokenMaxS,
      refreshTokenGrace: settings.refreshTokenGraceS,
      interaction: settings.signInPageS,
    },
  };
}

/** The limits of requests in a minute. Refused requests are counted in a metric. */
function requestRates(options: ServiceOptions, { rateLimited }: ServiceMetrics) {
  const count = (limit: string) => {
    rateLimited.inc({ limit }, 0);
    return () => rateLimited.inc({ limit });
  };
  return {
    address: addressRequestsPerMinute(options.addressRequestsPerMinuteMax, count("address")),
    client: requestsPerMinute(options.clientRequestsPerMinuteMax, count("client")),
    logins: {
      address: addressRequestsPerMinute(options.addressLoginsPerMinuteMax, count("login_address")),
      account: requestsPerMinute(options.accountLoginsPerMinuteMax, count("login_account")),
      device: requestsPerMinute(options.accountLoginsPerMinuteMax, count("login_device")),
    },
    userCodes: {
      address: addressRequestsPerMinute(
        options.addressUserCodesPerMinuteMax,
        count("user_code_address"),
      ),
      session: requestsPerMinute(sessionUserCodesPerMinuteMax, count("user_code_session")),
    },
  };
}

/** Makes the first signing key if there is none. Returns the keys that encrypt signing keys. */
async function prepareKeys(
  pool: pg.Pool,
  { encryptionKeys: source, logger }: ServiceOptions,
): Promise<readonly EncryptionKey[]> {
  const isInUse = () => isAnyKeySealed(pool);
  const encryptionKeys = await openEncryptionKeys(keyPurpose, { source, isInUse, logger });
  await prepareSigningKeys({ pool, encryptionKeys, logger });
  return encryptionKeys;
}
