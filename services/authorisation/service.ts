/** Puts the parts of the service together, on a database that is ready. */
import {
  AccessLines,
  type AccessLogMode,
  closeServer,
  createHealthHandler,
  type Logger,
  type Metrics,
  openPool,
  reachableUrl,
} from "@stowage/process";
import type pg from "pg";
import { type BackgroundWork, startBackgroundWork } from "./background-work.ts";
import { callerAddress } from "./http/caller-address.ts";
import { listen } from "./http/listen.ts";
import { createRequestHandler } from "./http/request-handler.ts";
import { addressRequestsPerMinute, requestsPerMinute } from "./limits/request-rate.ts";
import { createServiceMetrics, type ServiceMetrics } from "./metrics/service-metrics.ts";
import { createProvider } from "./provider/create-provider.ts";
import { stopGraceMs } from "./settings.ts";
import { type EncryptionKeySource, openEncryptionKeys } from "./signing/encryption-keys.ts";
import { type FollowedKeys, followSigningKeys } from "./signing/followed-keys.ts";
import { measureKeys } from "./signing/measure-keys.ts";
import { prepareSigningKeys } from "./signing/prepare-keys.ts";
import { measureDenylist, type OpenDenylist, openDenylist } from "./store/denylist.ts";
import { isAnyKeySealed } from "./store/signing-keys.ts";

/** A token needs two short queries and some 30 ms of hashing. More would wait for the hashing. */
const connectionsMax = 8;

/** What the service needs. */
export interface ServiceOptions {
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** The issuer, exactly. Default: the address that the service listens on. */
  authUrl: string | undefined;
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
  /** The keys that encrypt the signing keys in the database. */
  encryptionKeys: EncryptionKeySource;
  /** How long a new signing key is published before it signs. */
  keyPublicationSeconds: number;
  /** Requests of one address, except for public documents; 0: any number. */
  addressRequestsPerMinuteMax: number;
  /** Token requests of one client; 0: any number. */
  clientRequestsPerMinuteMax: number;
  /** Failed sign-ins from one address; 0: any number. */
  addressLoginsPerMinuteMax: number;
  /** Failed sign-ins to one account; 0: any number. */
  accountLoginsPerMinuteMax: number;
  /** Proxies whose X-Forwarded-For is trusted; see http/caller-address.ts. */
  trustedProxies: readonly string[];
  /** How long an idle connection stays open. */
  keepAliveTimeoutMs: number;
  /** How long the records of grants are kept. */
  authorisationsKeptDays: number;
  /** A database whose schema is current. */
  databaseUrl: string;
  accessLog: AccessLogMode;
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

/** Starts the service. It answers requests when this resolves. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { databaseUrl, audiences, logger, signal } = options;
  const pool = openPool({
    databaseUrl,
    connectionsMax,
    applicationName: "stowage-authorisation",
    logger,
  });
  options.metrics.pools.watch("requests", pool);
  const metrics = createServiceMetrics(options.metrics.registry);
  const rates = requestRates(options, metrics);
  let signingKeys: FollowedKeys | undefined;
  let followed: OpenDenylist | undefined;
  let work: BackgroundWork | undefined;
  const close = async () => {
    await work?.stop();
    await signingKeys?.stop();
    await followed?.close();
    await pool.end();
  };
  try {
    signingKeys = await openSigningKeys(pool, options);
    followed = await openDenylist(databaseUrl, logger);
    measureKeys(options.metrics.registry, signingKeys);
    measureDenylist(options.metrics.registry, followed.denylist);
    // It listens first, since the issuer may depend on the port that the system chooses. No
    // request is lost: none is read before the next `await`.
    const { server, port } = await listen(options);
    const authUrl = options.authUrl ?? reachableUrl(options.host, port);
    work = startBackgroundWork({ ...options, pool, signingKeys, authUrl, metrics });
    const provider = createProvider({
      authUrl,
      audiences,
      signingKeys,
      keyPublicationSeconds: options.keyPublicationSeconds,
      denylist: followed.denylist,
      clientRate: rates.client,
      loginRates: rates.logins,
      sessionsEnded: work.sessionsEnded,
      pool,
      metrics,
      logger,
    });
    const keys = signingKeys;
    const checks = {
      database: () => pool.query("select 1"),
      "signing keys": async () => keys.checkUsable(),
    };
    const health = createHealthHandler({
      ...{ checks, signal, logger },
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
        await closeServer(server, stopGraceMs);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The limits of requests in a minute. What they refuse is counted. */
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
    },
  };
}

async function openSigningKeys(pool: pg.Pool, options: ServiceOptions): Promise<FollowedKeys> {
  const { databaseUrl, logger } = options;
  const encryptionKeys = await openEncryptionKeys({
    source: options.encryptionKeys,
    isInUse: () => isAnyKeySealed(pool),
    logger,
  });
  await prepareSigningKeys({ pool, encryptionKeys, logger });
  return await followSigningKeys({ databaseUrl, encryptionKeys, logger });
}
