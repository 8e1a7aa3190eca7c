import { setTimeout } from "node:timers/promises";

/** Times in milliseconds. */
export interface RepeatTimes {
  /** From the start to the first run. */
  readonly firstMs: number;
  /** Between two runs. */
  readonly intervalMs: number;
}

/**
 * Repeats work until the returned function is called, which resolves when the last run has ended.
 * The work must not reject. Waiting does not keep the process alive.
 */
export function repeat(
  { firstMs, intervalMs }: RepeatTimes,
  work: (signal: AbortSignal) => Promise<void>,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    await pause(firstMs, signal);
    while (!signal.aborted) {
      await work(signal);
      await pause(intervalMs, signal);
    }
  };
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}

/** Waits, at most until the signal aborts. Never rejects, and does not keep the process alive. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
