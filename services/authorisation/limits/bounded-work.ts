/** Does dear work a few pieces at a time, lets a few more wait, and turns away the rest. */
import { BusyError } from "../overrides/error-answers.ts";

/** When to come back: whoever waits now will be done by then. */
const retryAfterSeconds = 1;

/** Runs a piece of work in its turn. Rejects at once with a BusyError when too many wait. */
export type BoundedWork = <T>(work: () => Promise<T>) => Promise<T>;

/** Makes a {@link BoundedWork}. Turns come in the order of the calls. */
export function boundedWork(limits: { runningMax: number; waitingMax: number }): BoundedWork {
  const waiting: (() => void)[] = [];
  let running = 0;

  const begin = async () => {
    if (running < limits.runningMax) {
      running++;
      return;
    }
    if (waiting.length >= limits.waitingMax) {
      throw new BusyError(503, "too many requests are waiting; try again", retryAfterSeconds);
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const end = () => {
    // Whoever waits takes over the place, so that nobody who comes now slips in before.
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  };

  return async (work) => {
    await begin();
    try {
      return await work();
    } finally {
      end();
    }
  };
}

/**
 * Each takes 16 or 32 MiB and one of the four threads that Node has for such work, of which signing
 * needs one too. Those who wait get their turn within seconds.
 */
const comparisonLimits = { runningMax: 3, waitingMax: 64 };

/** Makes what all comparisons of a process must go through. */
export function hashingWork(): BoundedWork {
  return boundedWork(comparisonLimits);
}
