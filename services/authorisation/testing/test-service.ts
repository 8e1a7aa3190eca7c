/** The service under test: real, on a database and a port of its own, with one client. */
import { randomBytes, randomUUID } from "node:crypto";
import {
  createLogger,
  encryptionKeyOf,
  openMetrics,
  openPool,
  readSettings,
} from "@stowage/process";
import { createTestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import { keyedHash } from "../model/keyed-hash.ts";
import { type Service, type ServiceOptions, startService } from "../service.ts";
import { serviceSettings } from "../settings.ts";
import { addClient } from "../store/clients.ts";
import { authSchema } from "../store/migrate-store.ts";
import { clientSecretKey } from "../store/server-keys.ts";

/** The resource servers. */
export const testAudiences = ["urn:svc:uploads", "https://other.example/api"];

/** A client that may ask for tokens. */
export const testClient = {
  clientId: randomUUID(),
  clientSecret: "a secret that no log may ever show: 9f2c",
  applicationId: "reports",
  organisationId: "acme",
  name: "nightly report",
  scopes: ["upl:bucket:read", "upl:bucket:write"],
};

/** The members of a client that acts for itself. */
export const actsForItself = {
  grantTypes: ["client_credentials"],
  redirectUris: [],
  postLogoutRedirectUris: [],
  backChannelLogoutUri: null,
  isNative: false,
  isFirstParty: false,
  isForAnyOrganisation: false,
};

/** The hash of a secret, as of those that the service generates. */
export async function hashOfSecret(pool: pg.Pool, secret: string): Promise<string> {
  return keyedHash(secret, await clientSecretKey(pool));
}

/** The key that encrypts the signing keys of tests, as a setting and as a key. */
export const testKeyEncryptionKey = randomBytes(32).toString("base64");
export const testEncryptionKey = encryptionKeyOf(Buffer.from(testKeyEncryptionKey, "base64"));

/** A running service. The test disposes it. */
export interface TestService extends AsyncDisposable {
  authUrl: string;
  port: number;
  databaseUrl: string;
  /** For queries of the test. */
  pool: pg.Pool;
  /** Starts another process of the service on the same database. The caller stops it. */
  startAnother(options?: Partial<ServiceOptions>): Promise<Service>;
}

/** Starts the service. */
export async function startTestService(
  options: Partial<ServiceOptions> = {},
): Promise<TestService> {
  const database = await createTestDatabase(authSchema);
  const { databaseUrl } = database;
  const logger = createLogger({ name: "test", level: "silent" });
  const pool = openPool({ databaseUrl, connectionsMax: 2, applicationName: "test", logger });
  const { clientSecret, ...client } = testClient;
  await addClient(pool, { ...actsForItself, ...client }, await hashOfSecret(pool, clientSecret));

  const start = async (changes: Partial<ServiceOptions>) =>
    await startService({
      ...readSettings(serviceSettings, { PORT: "0", ACCESS_LOG: "off" }),
      audience: testAudiences,
      addressRequestsPerMinuteMax: 0,
      clientRequestsPerMinuteMax: 0,
      addressLoginsPerMinuteMax: 0,
      accountLoginsPerMinuteMax: 0,
      addressUserCodesPerMinuteMax: 0,
      pendingMax: 1000,
      encryptionKeys: { keys: [testEncryptionKey] },
      databaseUrl,
      metrics: await openMetrics({ host: "127.0.0.1", metricsPort: undefined, logger }),
      logger,
      signal: new AbortController().signal,
      ...changes,
    });
  const service = await start(options);
  return {
    authUrl: service.authUrl,
    port: service.port,
    databaseUrl,
    pool,
    startAnother: (changes = {}) => start(changes),
    async [Symbol.asyncDispose]() {
      await service.stop();
      await pool.end();
      await database.drop();
    },
  };
}
