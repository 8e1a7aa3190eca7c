/** Removes old records now and then while the service runs. */
import { setTimeout } from "node:timers/promises";
import type { Logger } from "@stowage/process";

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
