import type { Logger } from "./logger.ts";
import { pause, type RepeatTimes, repeat } from "./repeat.ts";

/** What to prune, and when. */
interface PruneOptions {
  /** Removes a batch; returns the number of removed rows, 0 if no old row is left. */
  prune: () => Promise<number>;
  logger: Logger;
  times?: PruneTimes;
  /** Of the number of removed records. Default: info. */
  logLevel?: "debug" | "info";
}

interface PruneTimes extends RepeatTimes {
  /** Between two batches of a run, in milliseconds. */
  readonly restMs: number;
}

/** Soon after the start, for processes that do not run long; then once an hour. */
const timesDefault = { firstMs: 60_000, intervalMs: 3_600_000, restMs: 1_000 };

/** A run ends before the next one begins. */
const batchesMax = 1_000;

/**
 * Removes old rows regularly until the returned function is called, which resolves when the last
 * run has ended. If a run fails, that is logged, and the next run tries again.
 */
export function pruneRegularly(options: PruneOptions): () => Promise<void> {
  const { prune, logger, times = timesDefault, logLevel = "info" } = options;

  const pruneAll = async (signal: AbortSignal) => {
    let removed = 0;
    for (let batch = 0; batch < batchesMax && !signal.aborted; batch++) {
      const count = await prune();
      if (count === 0) break;
      removed += count;
      await pause(times.restMs, signal);
    }
    if (removed > 0) logger[logLevel]({ removed }, "old records are removed");
  };
  return repeat(times, (signal) =>
    pruneAll(signal).catch((error) => logger.warn({ err: error }, "cannot remove old records")),
  );
}
