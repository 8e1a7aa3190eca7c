import { setTimeout as sleep } from "node:timers/promises";

const waitMaxMs = 10_000;
const pauseMs = 20;

/** Waits until the condition holds; fails after 10 s. */
export async function untilTrue(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + waitMaxMs;
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`Waited ${waitMaxMs} ms in vain until ${what}`);
    await sleep(pauseMs);
  }
}
