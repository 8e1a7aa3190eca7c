/** What the service does besides answering: it tells clients of logouts and forgets what is old. */

import { setTimeout } from "node:timers/promises";
import type { Logger } from "@stowage/process";
import type pg from "pg";
import { deliverLogoutNotices } from "./logout/deliver-notices.ts";
import type { FollowedKeys } from "./signing/followed-keys.ts";
import { pruneAuthorisations } from "./store/authorisations.ts";
import { removeExpiredLogoutNotices } from "./store/logout-notices.ts";
import { pruneProviderRecords } from "./store/provider-records.ts";
import { pruneUsedAssertions } from "./store/service-accounts.ts";

/** What the work takes. */
export interface WorkOptions {
  pool: pg.Pool;
  signingKeys: FollowedKeys;
  /** The issuer. */
  authUrl: string;
  /** How long the record of what was granted is kept. */
  authorisationsKeptDays: number;
  logger: Logger;
}

/** Work that goes on until it is stopped. */
export interface BackgroundWork {
  /** To be called when sessions have ended: their clients are told at once. */
  sessionsEnded(): void;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/** Begins the work. */
export function startBackgroundWork(options: WorkOptions): BackgroundWork {
  const { pool, logger } = options;
  const delivery = deliverLogoutNotices(options);
  const stopPruning = pruneRegularly({
    prune: async () =>
      (await pruneAuthorisations(pool, options.authorisationsKeptDays)) +
      (await pruneProviderRecords(pool)) +
      (await pruneUsedAssertions(pool)) +
      (await giveUpNotices(pool, logger)),
    logger,
  });
  return {
    sessionsEnded: () => delivery.wake(),
    async stop() {
      await Promise.all([delivery.stop(), stopPruning()]);
    },
  };
}

async function giveUpNotices(pool: pg.Pool, logger: Logger): Promise<number> {
  const removed = await removeExpiredLogoutNotices(pool);
  for (const [clientId, count] of removed) {
    logger.warn({ clientId, count }, "a client was not told of ended sessions in time");
  }
  return removed.values().reduce((sum, count) => sum + count, 0);
}

/** What to do, and how. */
export interface PruneOptions {
  /** Removes a piece; gives how many rows, 0 when nothing is left to remove. */
  prune: () => Promise<number>;
  logger: Logger;
  times?: PruneTimes;
}

/** When to do it, in milliseconds. */
export interface PruneTimes {
  /** From the start to the first run. */
  firstMs: number;
  /** From one run to the next. */
  intervalMs: number;
  /** Rest between two pieces of one run. */
  restMs: number;
}

/** Soon after a start, for processes that do not run long; then once an hour. */
const timesDefault = { firstMs: 60_000, intervalMs: 3_600_000, restMs: 1_000 };

/** Most pieces in one run, so that a run ends before the next begins. */
const piecesMax = 1_000;

/**
 * Prunes now and then until the function it gives is called, which resolves when nothing is under
 * way any more. A failure is logged, and the next run tries again.
 */
export function pruneRegularly(options: PruneOptions): () => Promise<void> {
  const { prune, logger, times = timesDefault } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const rest = (ms: number) =>
    setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined);

  const pruneAll = async () => {
    let removed = 0;
    for (let piece = 0; piece < piecesMax && !signal.aborted; piece++) {
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
