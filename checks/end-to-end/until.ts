import { setTimeout } from "node:timers/promises";

/** Longer than anything takes that is waited for. */
const deadlineMs = 60_000;

/** Waits until a condition holds. Rejects, naming it, when it takes far too long. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + deadlineMs;
  while (!(await holds())) {
    if (performance.now() > endsAtMs) {
      throw new Error(`Waited ${deadlineMs} ms in vain for ${what}`);
    }
    await setTimeout(20);
  }
}
