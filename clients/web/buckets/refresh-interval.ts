/** When the states of sources, and totals, are read again. */
import { isTemporary } from "../api/call-error.ts";
import type { Bucket } from "./bucket.ts";
import { runningState } from "./source-states.ts";

const runningMs = 3000;
/** Changes in a watched directory are in the index after seconds: they are soon shown, too. */
const idleMs = 15_000;
const failedMs = 5000;

/** With many buckets, a call takes long: it must not run most of the time. */
const pausePerCall = 10;
/** One slow call must not stop the page from noticing changes. */
const pauseMaxMs = 120_000;

interface LastCall {
  /** Undefined if no call has succeeded yet. */
  readonly buckets: readonly Bucket[] | undefined;
  readonly error: Error | null;
  /** How long it took if it succeeded. */
  readonly durationMs: number;
}

export function refreshIntervalMs({ buckets, error, durationMs }: LastCall): number {
  if (error !== null && isTemporary(error)) return failedMs;
  const isRunning = buckets?.some(({ sources }) =>
    sources.some(({ state }) => state === runningState),
  );
  const pauseMs = Math.min(pausePerCall * durationMs, pauseMaxMs);
  return Math.max(isRunning ? runningMs : idleMs, pauseMs);
}
