import { setTimeout as sleep } from "node:timers/promises";

const pauseMs = 10;

/**
 * Long enough for a busy machine, and less than the time after which services give up by
 * themselves, which would hide that they should have done something earlier.
 */
const usualWaitMaxMs = 20_000;

/** Waits until a condition holds. Rejects with its description when `waitMaxMs` have passed. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  waitMaxMs = usualWaitMaxMs,
): Promise<void> {
  const deadlineMs = performance.now() + waitMaxMs;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`Waited ${waitMaxMs} ms in vain: ${what}`);
    await sleep(pauseMs);
  }
}
