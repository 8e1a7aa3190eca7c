/** The service under test: real, on its own database, between an issuer and an uploads service. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  createLogger,
  encryptionKeyOf,
  type Metrics,
  openMetrics,
  openPool,
  readSettings,
} from "@stowage/process";
import { createTestDatabase, makeTemporaryFolder } from "@stowage/process/testing";
import type pg from "pg";
import { type Service, startService } from "../service.ts";
import { settingsTable, webSchema } from "../settings.ts";
import { TestBrowser } from "./test-browser.ts";
import { client, TestIssuer } from "./test-issuer.ts";
import { TestUploads } from "./test-uploads.ts";

export interface TestService extends AsyncDisposable {
  readonly origin: string;
  readonly issuer: TestIssuer;
  readonly uploads: TestUploads;
  readonly databaseUrl: string;
  /** How many requests failed each check of their session. */
  refusals(): Promise<Readonly<Record<string, number>>>;
  /** For queries of the test. */
  readonly pool: pg.Pool;
  /** Signs somebody in; in a new browser, by default. */
  signIn(browser?: TestBrowser): Promise<TestBrowser>;
  /** Starts another process of the service on the same database, at another port. */
  startAnother(settings?: Record<string, string>): Promise<Service>;
}

export const keys = [encryptionKeyOf(Buffer.alloc(32, 7))];

export async function startTestService(
  settings: Record<string, string> = {},
): Promise<TestService> {
  const database = await createTestDatabase(webSchema);
  const { databaseUrl } = database;
  const build = await makeBuild();
  const issuer = await TestIssuer.start();
  const uploads = await TestUploads.start(issuer.accessTokens);
  const logger = createLogger({ name: "test", level: process.env.TEST_LOG ?? "silent" });
  const pool = openPool({ databaseUrl, connectionsMax: 2, applicationName: "test", logger });
  const given = {
    PORT: "0",
    PAGE_DIR: build.path,
    DATABASE_URL: databaseUrl,
    ACCESS_LOG: "off",
    AUTH_URL: issuer.url,
    BASE_URL: uploads.url,
    CLIENT_ID: client.id,
    ...settings,
  };
  const metrics = await openMetrics({ host: "127.0.0.1", metricsPort: undefined, logger });
  const start = async (changes: Record<string, string> = {}, used?: Metrics) =>
    await startService({
      settings: readSettings(settingsTable, { ...given, ...changes }),
      databaseUrl: changes.DATABASE_URL ?? databaseUrl,
      clientSecret: client.secret,
      encryptionKeys: { keys },
      logger,
      metrics: used ?? (await openMetrics({ host: "127.0.0.1", metricsPort: undefined, logger })),
      signal: new AbortController().signal,
    });
  const services = [await start({}, metrics)];
  const origin = services[0]?.origin ?? "";
  return {
    origin,
    issuer,
    uploads,
    databaseUrl,
    pool,
    async refusals() {
      const all = await metrics.registry.getMetricsAsJSON();
      const found = all.find(({ name }) => name === "stowage_web_session_refusals_total");
      const values = found?.values as { labels: { check: string }; value: number }[];
      return Object.fromEntries(values.map(({ labels, value }) => [labels.check, value]));
    },
    async signIn(browser = new TestBrowser(origin)) {
      const begun = await browser.open("/sign-in");
      const back = await browser.open(issuer.authorize(begun.headers.location ?? ""));
      assert.equal(back.status, 303, back.text);
      return browser;
    },
    async startAnother(changes) {
      const service = await start(changes);
      let stopping: Promise<void> | undefined;
      const another = { ...service, stop: () => (stopping ??= service.stop()) };
      services.push(another);
      return another;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(services.map((service) => service.stop()));
      await Promise.all([issuer.pause(), uploads.close(), pool.end(), build.remove()]);
      await database.drop();
    },
  };
}

/** A build of a page. */
async function makeBuild() {
  const folder = await makeTemporaryFolder();
  await mkdir(join(folder.path, "assets"));
  const script = "console.log('the page');";
  await Promise.all([
    writeFile(join(folder.path, "index.html"), "<!doctype html><title>The page</title>"),
    writeFile(join(folder.path, "icon.svg"), "<svg/>"),
    writeFile(join(folder.path, "assets", "app-1a2b.js"), script),
    writeFile(join(folder.path, "assets", "app-1a2b.js.gz"), gzipSync(script)),
  ]);
  return folder;
}
