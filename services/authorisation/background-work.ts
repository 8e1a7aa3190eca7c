/** Work besides answering requests: delivers logout notices and prunes old records. */
import { setTimeout } from "node:timers/promises";
import type { Logger } from "@stowage/process";
import type pg from "pg";
import { deliverLogoutNotices } from "./logout/deliver-notices.ts";
import type { FollowedKeys } from "./signing/followed-keys.ts";
import { pruneAuthorisations } from "./store/authorisations.ts";
import { removeExpiredLogoutNotices } from "./store/logout-notices.ts";
import { pruneProviderRecords } from "./store/provider-records.ts";
import { pruneUsedAssertions } from "./store/service-accounts.ts";

/** What the work needs. */
interface WorkOptions {
  pool: pg.Pool;
  signingKeys: FollowedKeys;
  /** The issuer. */
  authUrl: string;
  /** How long the records of grants are kept. */
  authorisationsKeptDays: number;
  logger: Logger;
}

/** Work that goes on until it is stopped. */
export interface BackgroundWork {
  /** Call this when sessions have ended: their clients are told at once. */
  sessionsEnded(): void;
  /** Resolves when all work has ended. */
  stop(): Promise<void>;
}

/** Starts the work. */
export function startBackgroundWork(options: WorkOptions): BackgroundWork {
  const { pool, logger } = options;
  const delivery = deliverLogoutNotices(options);
  const stopPruning = pruneRegularly({
    prune: async () =>
      (await pruneAuthorisations(pool, options.authorisationsKeptDays)) +
      (await pruneProviderRecords(pool)) +
      (await pruneUsedAssertions(pool)) +
      (await pruneLogoutNotices(pool, logger)),
    logger,
  });
  return {
    sessionsEnded: () => delivery.wake(),
    async stop() {
      await Promise.all([delivery.stop(), stopPruning()]);
    },
  };
}

async function pruneLogoutNotices(pool: pg.Pool, logger: Logger): Promise<number> {
  const removed = await removeExpiredLogoutNotices(pool);
  for (const [clientId, count] of removed) {
    logger.warn({ clientId, count }, "a client was not told of ended sessions in time");
  }
  return removed.values().reduce((sum, count) => sum + count, 0);
}

/** What to prune, and when. */
interface PruneOptions {
  /** Removes a batch; returns the number of removed rows, 0 if no old row is left. */
  prune: () => Promise<number>;
  logger: Logger;
  times?: PruneTimes;
}

/** Times in milliseconds. */
interface PruneTimes {
  /** From the start to the first run. */
  firstMs: number;
  /** Between two runs. */
  intervalMs: number;
  /** Between two batches of a run. */
  restMs: number;
}

/** Soon after the start, for processes that do not run long; then once an hour. */
const timesDefault = { firstMs: 60_000, intervalMs: 3_600_000, restMs: 1_000 };

/** A run ends before the next one begins. */
const batchesMax = 1_000;

/**
 * Prunes until the returned function is called, which resolves when pruning has ended. It logs a
 * failure, and the next run tries again.
 */
export function pruneRegularly(options: PruneOptions): () => Promise<void> {
  const { prune, logger, times = timesDefault } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const rest = (ms: number) =>
    setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined);

  const pruneAll = async () => {
    let removed = 0;
    for (let batch = 0; batch < batchesMax && !signal.aborted; batch++) {
      const count = await prune();
      if (count === 0) break;
      removed += count;
      await rest(times.restMs);
    }
    if (removed > 0) logger.info({ removed }, "old records are removed");
  };
  const run = async () => {
    await rest(times.firstMs);
    while (!signal.aborted) {
      await pruneAll().catch((error) => logger.warn({ err: error }, "cannot remove old records"));
      await rest(times.intervalMs);
    }
  };
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}
