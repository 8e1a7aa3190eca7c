/** Starts things at a fixed rate, however long each takes: an open loop. */
import { setTimeout as sleep } from "node:timers/promises";

interface Pace {
  /** Resolves when all that was started has ended. */
  stop(): Promise<void>;
}

/** @param start gets the number of the thing, and when it was due by `performance.now()`. */
export function startPaced(
  perSecond: number,
  start: (number: number, dueMs: number) => Promise<void>,
): Pace {
  const startMs = performance.now();
  const dueMsOf = (number: number) => startMs + (number * 1000) / perSecond;
  const running = new Set<Promise<void>>();
  let isStopped = false;
  const loop = async () => {
    for (let number = 0; !isStopped; number++) {
      const waitMs = dueMsOf(number) - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      const one = start(number, dueMsOf(number)).finally(() => running.delete(one));
      running.add(one);
    }
  };
  const looping = loop();
  return {
    async stop() {
      isStopped = true;
      await looping;
      await Promise.all(running);
    },
  };
}
