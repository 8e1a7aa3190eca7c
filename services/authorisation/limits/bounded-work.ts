/** Limits how much expensive work runs at once, and how much waits. */
import { BusyError } from "../overrides/error-answers.ts";

/** Waiting work is done after this time. */
const retryAfterSeconds = 1;

/** Runs work in the order of the calls. Rejects at once with a BusyError if too much waits. */
export type BoundedWork = <T>(work: () => Promise<T>) => Promise<T>;

/** Told how much work runs and waits, whenever that changes. */
type OnWorkLoad = (load: { running: number; waiting: number }) => void;

/** Makes a {@link BoundedWork}. */
export function boundedWork(
  limits: { runningMax: number; waitingMax: number },
  onLoad: OnWorkLoad = () => {},
): BoundedWork {
  const waiting: (() => void)[] = [];
  let running = 0;
  const tell = () => onLoad({ running, waiting: waiting.length });

  const begin = async () => {
    if (running < limits.runningMax) {
      running++;
      return tell();
    }
    if (waiting.length >= limits.waitingMax) {
      throw new BusyError(503, "too many requests are waiting; try again", retryAfterSeconds);
    }
    const turn = Promise.withResolvers<void>();
    waiting.push(turn.resolve);
    tell();
    await turn.promise;
  };
  const end = () => {
    // The next in line takes over the place, so that no newcomer gets it first.
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
    tell();
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
 * Comparing a secret with a hash takes 16 or 32 MiB and one of the four threads that Node has for
 * such work. Signing needs one of them too. All who wait get their turn within seconds.
 */
const comparisonLimits = { runningMax: 3, waitingMax: 64 };

/** The limit for all comparisons of secrets and passwords in a process. */
export function hashingWork(onLoad: OnWorkLoad): BoundedWork {
  return boundedWork(comparisonLimits, onLoad);
}
