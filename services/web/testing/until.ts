import { setTimeout as sleep } from "node:timers/promises";

const pauseMs = 10;
const waitMaxMs = 10_000;

/** Waits until a condition holds. Rejects with its description after 10 s. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + waitMaxMs;
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`Waited in vain: ${what}`);
    await sleep(pauseMs);
  }
}
