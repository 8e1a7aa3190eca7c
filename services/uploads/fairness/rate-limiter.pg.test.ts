import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createLogger } from "@stowage/process";
import { createTestDatabase, relayDatabase, type TestDatabase } from "@stowage/process/testing";
import pg from "pg";
import { ApiError } from "../model/api-error.ts";
import { schemaDirectory, schemaName } from "../postgres/prepare-database.ts";
import { openRateLimiter, type RateLimiter } from "./rate-limiter.ts";

const logger = createLogger({ name: "test", level: "silent" });
const reader = { organisationId: "org", clientId: "reader" };
const notes = { organisationId: "org", clientId: "notes" };
const stranger = { organisationId: "other", clientId: "stranger" };

const limits = {
  tenantCallsPerMinuteMax: 0,
  clientCallsPerMinuteMax: 0,
  rateLimitStore: "memory",
  workers: 1,
} as const;

/** How many of the calls are allowed. Refused ones must say when to try again. */
async function allowed(
  { consume }: RateLimiter,
  caller: typeof reader,
  calls = 10,
): Promise<number> {
  let allowedCount = 0;
  for (let call = 0; call < calls; call++) {
    try {
      await consume?.(caller);
      allowedCount += 1;
    } catch (error) {
      assert.ok(error instanceof ApiError, String(error));
      assert.equal(error.reason, "RATE_LIMIT_EXCEEDED");
      const { retryAfterSeconds = 0 } = error;
      assert.ok(Number.isInteger(retryAfterSeconds) && retryAfterSeconds >= 1);
      assert.ok(retryAfterSeconds <= 60, `${retryAfterSeconds}`);
    }
  }
  return allowedCount;
}

describe("rates in memory", () => {
  const open = (settings: object) =>
    openRateLimiter("postgres://none", { ...limits, ...settings }, logger);

  it("are not counted without a limit", () => {
    assert.equal(open({}).consume, undefined);
  });

  it("limit each client by itself", async () => {
    const rates = open({ clientCallsPerMinuteMax: 4 });
    assert.deepEqual([await allowed(rates, reader), await allowed(rates, notes)], [4, 4]);
  });

  it("limit a client in each organisation whose people use it", async () => {
    const rates = open({ clientCallsPerMinuteMax: 4 });
    assert.equal(await allowed(rates, reader), 4);
    assert.equal(await allowed(rates, { ...reader, organisationId: "other" }), 4);
  });

  it("limit the clients of an organisation together", async () => {
    const rates = open({ tenantCallsPerMinuteMax: 6, clientCallsPerMinuteMax: 4 });
    assert.deepEqual([await allowed(rates, reader), await allowed(rates, notes)], [4, 2]);
    assert.equal(await allowed(rates, stranger), 4);
  });

  it("give each worker its share", async () => {
    assert.equal(await allowed(open({ clientCallsPerMinuteMax: 9, workers: 2 }), reader), 4);
    assert.equal(await allowed(open({ clientCallsPerMinuteMax: 1, workers: 2 }), reader), 1);
  });
});

describe("rates in PostgreSQL", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase({ schema: schemaName, directory: schemaDirectory });
  });
  after(() => database?.drop());

  const settings = {
    ...limits,
    rateLimitStore: "postgres",
    clientCallsPerMinuteMax: 5,
    workers: 2,
  } as const;

  async function counts(): Promise<number[]> {
    const client = new pg.Client(database.databaseUrl);
    await client.connect();
    try {
      const { rows } = await client.query("select points from uploads.call_counts");
      return rows.map(({ points }) => points);
    } finally {
      await client.end();
    }
  }

  it("are counted by all servers together; refused calls reach the database once", async () => {
    const servers = [1, 2].map(() => openRateLimiter(database.databaseUrl, settings, logger));
    const [one, other] = servers as [RateLimiter, RateLimiter];
    try {
      assert.equal(await allowed(one, reader, 3), 3);
      assert.equal(await allowed(other, reader), 2);
      assert.equal(await allowed(one, reader), 0);
      assert.deepEqual(await counts(), [6]);
      assert.equal(await allowed(one, { ...reader, clientId: "\0".repeat(9000) }), 5);
    } finally {
      await Promise.all(servers.map((server) => server.close()));
    }
  });

  it("are counted in memory while the database does not answer, and then again there", async () => {
    const relay = await relayDatabase(database.databaseUrl);
    const warnings: string[] = [];
    const listening = { ...logger, warn: (_: unknown, text: string) => warnings.push(text) };
    const rates = openRateLimiter(relay.databaseUrl, settings, listening as never);
    const caller = { ...reader, clientId: "during the outage" };
    try {
      assert.equal(await allowed(rates, caller, 1), 1);
      relay.stall();
      // The share of one of two workers.
      assert.equal(await allowed(rates, caller), 2);
      assert.deepEqual(warnings, ["calls are counted in memory: the database failed"]);
      await relay.mend();
      const before = (await counts()).length;
      const isCountedThere = async () => {
        await rates.consume?.({ ...reader, clientId: "after the outage" }).catch(() => {});
        return (await counts()).length > before;
      };
      while (!(await isCountedThere())) await new Promise(setImmediate);
    } finally {
      await rates.close();
      await relay.cut();
    }
  });

  it("log that an outage of the database begins, and that it is over", async ({ mock }) => {
    const relay = await relayDatabase(database.databaseUrl);
    await relay.cut();
    const lines: unknown[] = [];
    const warn = (entry: object, message: string) => lines.push({ ...entry, message });
    const limited = { ...settings, tenantCallsPerMinuteMax: 5, workers: 1 };
    const rates = openRateLimiter(relay.databaseUrl, limited, { ...logger, warn } as never);
    let nowMs = performance.now();
    mock.method(performance, "now", () => nowMs);
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      for (let second = 0; second < 5; second++) {
        await rates.consume?.(reader);
        nowMs += 1000;
      }
      const reason = `connect ECONNREFUSED ${new URL(relay.databaseUrl).host}`;
      const message = "calls are counted in memory: the database failed";
      assert.deepEqual(lines, [{ reason, count: 1, message }]);
      mock.timers.tick(20_000);
      const end = { count: 9, message: "counting in the database has not failed in the last 10 s" };
      assert.deepEqual(lines.slice(1), [end]);
    } finally {
      await rates.close();
    }
  });
});
