/** Work that programs repeat, such as the removal of old rows. */
import { setTimeout } from "node:timers/promises";
import type { Logger } from "./logger.ts";

/** What to prune, and when. */
interface PruneOptions {
  /** Removes a batch; returns the number of removed rows, 0 if no old row is left. */
  prune: () => Promise<number>;
  logger: Logger;
  times?: PruneTimes;
  /** Of the number of removed records. Default: info. */
  logLevel?: "debug" | "info";
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
  const { prune, logger, times = timesDefault, logLevel = "info" } = options;

  const pruneAll = async (signal: AbortSignal) => {
    let removed = 0;
    for (let batch = 0; batch < batchesMax && !signal.aborted; batch++) {
      const count = await prune();
      if (count === 0) break;
      removed += count;
      await rest(times.restMs, signal);
    }
    if (removed > 0) logger[logLevel]({ removed }, "old records are removed");
  };
  return repeat(times, (signal) =>
    pruneAll(signal).catch((error) => logger.warn({ err: error }, "cannot remove old records")),
  );
}

/**
 * Works regularly until the returned function is called, which resolves when the last run has
 * ended. The work must not reject.
 */
export function repeat(
  times: Pick<PruneTimes, "firstMs" | "intervalMs">,
  work: (signal: AbortSignal) => Promise<void>,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    await rest(times.firstMs, signal);
    while (!signal.aborted) {
      await work(signal);
      await rest(times.intervalMs, signal);
    }
  };
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
