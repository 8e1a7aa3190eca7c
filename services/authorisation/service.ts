/** The service as a whole, on a database that is ready: how its parts fit together. */
import {
  closeServer,
  createHealthHandler,
  type Logger,
  openPool,
  reachableUrl,
} from "@stowage/process";
import type pg from "pg";
import { type BackgroundWork, startBackgroundWork } from "./background-work.ts";
import { callerAddress } from "./http/caller-address.ts";
import { listen } from "./http/listen.ts";
import { createRequestHandler } from "./http/request-handler.ts";
import { addressRequestsPerMinute, requestsPerMinute } from "./limits/request-rate.ts";
import { nameBearer } from "./overrides/bearer-client-id.ts";
import { createProvider } from "./provider/create-provider.ts";
import { type EncryptionKeySource, openEncryptionKeys } from "./signing/encryption-keys.ts";
import { type FollowedKeys, followSigningKeys } from "./signing/followed-keys.ts";
import { prepareSigningKeys } from "./signing/prepare-keys.ts";
import { findGrantOf, recordAuthorisation } from "./store/authorisations.ts";
import { findClient } from "./store/clients.ts";
import { type OpenDenylist, openDenylist } from "./store/denylist.ts";
import { findServiceAccount, useAssertion } from "./store/service-accounts.ts";
import { isAnyKeySealed } from "./store/signing-keys.ts";

/** A token costs two short queries and some 30 ms of hashing: more would wait for the hashing. */
const connectionsMax = 8;

/** How long a running request may take to finish after the service is told to stop. */
const stopGraceMs = 10_000;

/** What the service is started with. */
export interface ServiceOptions {
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** The issuer, exactly. Left out: the address the service listens on. */
  authUrl: string | undefined;
  /** Identifiers of the resource servers; the first is the default. */
  audiences: readonly string[];
  /** What signing keys are encrypted with in the database. */
  encryptionKeys: EncryptionKeySource;
  /** How long a new signing key is published before it signs. */
  keyPublicationSeconds: number;
  /** How often one address may ask for anything but public documents; 0: any number. */
  addressRequestsPerMinuteMax: number;
  /** How often one client may ask for tokens; 0: any number. */
  clientRequestsPerMinuteMax: number;
  /** How often one address may fail to sign in; 0: any number. */
  addressLoginsPerMinuteMax: number;
  /** How often anybody may fail to sign in to one account; 0: any number. */
  accountLoginsPerMinuteMax: number;
  /** Proxies whose word on where a request comes from is taken; see server/caller-address.ts. */
  trustedProxies: readonly string[];
  /** How long the record of what was granted is kept. */
  authorisationsKeptDays: number;
  /** A database whose schema is current. */
  databaseUrl: string;
  logger: Logger;
  /** Aborted when the service is about to be stopped: it is then no longer ready. */
  signal: AbortSignal;
}

/** A service that listens. */
export interface Service {
  /** The issuer. */
  authUrl: string;
  /** The port it listens on. */
  port: number;
  /** Answers what is under way, takes nothing more, and closes the connections to the database. */
  stop(): Promise<void>;
}

/** Starts the service. It answers when this resolves. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { host, databaseUrl, audiences, logger, signal } = options;
  const pool = openPool({
    databaseUrl,
    connectionsMax,
    applicationName: "stowage-authorisation",
    logger,
  });
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
    // Listening comes first, since the issuer may depend on which port the system chooses. No
    // request is lost: none is read before this function next waits for something.
    const { server, port } = await listen(host, options.port);
    const authUrl = options.authUrl ?? reachableUrl(host, port);
    work = startBackgroundWork({ ...options, pool, signingKeys, authUrl });
    const provider = createProvider({
      authUrl,
      audiences,
      signingKeys,
      keyPublicationSeconds: options.keyPublicationSeconds,
      denylist: followed.denylist,
      clientRate: requestsPerMinute(options.clientRequestsPerMinuteMax),
      loginRates: {
        address: addressRequestsPerMinute(options.addressLoginsPerMinuteMax),
        account: requestsPerMinute(options.accountLoginsPerMinuteMax),
      },
      findClient: (clientId) => findClient(pool, clientId),
      findServiceAccount: (id) => findServiceAccount(pool, id),
      useAssertion: (assertion) => useAssertion(pool, assertion),
      findGrantOf: (authorisationId) => findGrantOf(pool, authorisationId),
      recordAuthorisation: (grant) => recordAuthorisation(pool, grant),
      sessionsEnded: work.sessionsEnded,
      pool,
      logger,
    });
    const keys = signingKeys;
    const checks = {
      database: () => pool.query("select 1"),
      "signing keys": async () => keys.checkUsable(),
    };
    const health = createHealthHandler({ checks, signal, logger });
    const handler = createRequestHandler({
      authUrl,
      callerAddress: callerAddress(options.trustedProxies),
      addressRate: addressRequestsPerMinute(options.addressRequestsPerMinuteMax),
      logger,
      health,
      prepareBody: nameBearer,
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
