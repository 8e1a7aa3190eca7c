/**
 * Limits how many calls a tenant and a client may make in a minute. The counts are in the memory of
 * each worker, or in PostgreSQL for all servers together.
 */
import { hash } from "node:crypto";
import { errorText, type Logger, OutageLines, openPool, untilAborted } from "@stowage/process";
import type pg from "pg";
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { ApiError } from "../model/api-error.ts";
import { shareOfWorker } from "./slots.ts";

interface RateSettings {
  /** 0: no limit. */
  readonly tenantCallsPerMinuteMax: number;
  readonly clientCallsPerMinuteMax: number;
  readonly rateLimitStore: "memory" | "postgres";
  readonly workers: number;
}

interface RatedCaller {
  readonly organisationId: string | undefined;
  readonly clientId: string;
}

export interface RateLimiter {
  /**
   * Counts a call. Rejects with `ApiError` RATE_LIMIT_EXCEEDED if the caller has used up its calls
   * of this minute. Undefined if nothing is limited.
   */
  readonly consume: ((caller: RatedCaller) => Promise<void>) | undefined;
  close(): Promise<void>;
}

/** Limits of 0 are not counted. */
export function openRateLimiter(
  databaseUrl: string,
  settings: RateSettings,
  logger: Logger,
): RateLimiter {
  const { tenantCallsPerMinuteMax: tenantMax, clientCallsPerMinuteMax: clientMax } = settings;
  if (tenantMax === 0 && clientMax === 0) return { consume: undefined, close: async () => {} };
  const pool =
    settings.rateLimitStore === "postgres" ? openCountPool(databaseUrl, logger) : undefined;
  const outages = new OutageLines(logger, {
    failing: "calls are counted in memory: the database failed",
    over: "counting in the database has not failed in the last 10 s",
  });
  const counterOf = (name: string, callsMax: number) => {
    const counter = new CallCounter({ name, callsMax, pool, outages, workers: settings.workers });
    return callsMax === 0 ? undefined : counter;
  };
  const ofClient = counterOf("client", clientMax);
  const ofTenant = counterOf("organisation", tenantMax);
  return {
    async consume({ organisationId, clientId }) {
      const tenant = organisationId ?? "";
      // People of several organisations may use one client, and must not use up each other's calls.
      // A call refused for its client does not use up the calls of the organisation.
      await ofClient?.count(JSON.stringify([tenant, clientId]));
      await ofTenant?.count(tenant);
    },
    async close() {
      await pool?.end();
    },
  };
}

const minuteSeconds = 60;
/** A call waits at most this long for the database to count it. */
const storeTimeoutMs = 500;
/** After a failure, calls are counted in memory for this long. */
const storeRestMs = 1000;

interface CounterOptions {
  readonly name: string;
  readonly callsMax: number;
  /** Undefined: counts in memory. */
  readonly pool: pg.Pool | undefined;
  readonly outages: OutageLines;
  readonly workers: number;
}

/** Counts the calls of tenants, or of clients. */
class CallCounter {
  readonly #options: CounterOptions;
  /** Allows the share of one worker. */
  readonly #memory: RateLimiterAbstract;
  readonly #store: RateLimiterAbstract | undefined;
  #memoryUntilMs = 0;

  constructor(options: CounterOptions) {
    const { name, callsMax, pool, workers } = options;
    this.#options = options;
    const points = shareOfWorker(callsMax, workers);
    this.#memory = new RateLimiterMemory({ points, duration: minuteSeconds });
    this.#store = pool && storeIn(pool, name, callsMax);
  }

  async count(who: string): Promise<void> {
    try {
      await this.#take(who);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      const retryAfterSeconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
      const { name, callsMax } = this.#options;
      const message = `the ${name} makes more than ${callsMax} calls in a minute; slow down`;
      throw new ApiError("RATE_LIMIT_EXCEEDED", message, { retryAfterSeconds });
    }
  }

  async #take(who: string): Promise<void> {
    if (this.#store !== undefined && performance.now() >= this.#memoryUntilMs) {
      try {
        // A key of fixed length, however long the name in the token is.
        const counted = this.#store.consume(hash("sha256", who, "base64url"));
        await untilAborted(counted, AbortSignal.timeout(storeTimeoutMs));
        return;
      } catch (error) {
        if (error instanceof RateLimiterRes) throw error;
        this.#rest(error);
      }
    }
    await this.#memory.consume(who);
  }

  /** A failing database must not stop calls here: their own reads report it soon enough. */
  #rest(error: unknown): void {
    this.#memoryUntilMs = performance.now() + storeRestMs;
    this.#options.outages.failed(errorText(error));
  }
}

function storeIn(pool: pg.Pool, name: string, callsMax: number): RateLimiterAbstract {
  return new RateLimiterPostgres({
    storeClient: pool,
    storeType: "pool",
    schemaName: "uploads",
    tableName: "call_counts",
    tableCreated: true,
    keyPrefix: name,
    points: callsMax,
    duration: minuteSeconds,
    // Calls over the limit cost no statement.
    inMemoryBlockOnConsumed: callsMax,
  });
}

/** A pool of its own, so that counting does not wait for lists. */
function openCountPool(databaseUrl: string, logger: Logger): pg.Pool {
  return openPool({
    databaseUrl,
    connectionsMax: 2,
    applicationName: "stowage-uploads-rates",
    logger,
    answerTimeoutMs: storeTimeoutMs,
    statementTimeoutMs: storeTimeoutMs,
    // The counts of the last moment before a crash do not matter.
    serverSettings: { synchronous_commit: "off" },
  });
}
