import { setTimeout as sleep } from "node:timers/promises";

const pauseMs = 20;

/** Waits until a condition holds. Rejects with its description when `waitMaxMs` have passed. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  waitMaxMs = 10_000,
): Promise<void> {
  const deadlineMs = performance.now() + waitMaxMs;
  while (!(await holds())) {
    if (performance.now() > deadlineMs)
      throw new Error(`Waited ${waitMaxMs} ms without success: ${what}`);
    await sleep(pauseMs);
  }
}
