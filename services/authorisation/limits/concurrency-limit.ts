/** Limits how much expensive work runs at once, and how much waits. */
import { BusyError } from "../overrides/error-answers.ts";

/** Waiting work is done after this time. */
const retryAfterSeconds = 1;

/**
 * Runs work in the order of the calls. Rejects with a BusyError, at once if too much waits, and
 * later if the work has waited too long.
 */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** Told how much work runs and waits, whenever that changes. */
export type OnWorkLoad = (load: { running: number; waiting: number }) => void;

interface WorkLimits {
  runningMax: number;
  waitingMax: number;
  waitMaxMs: number;
}

/** Makes a {@link ConcurrencyLimit}. */
export function limitConcurrency(
  limits: WorkLimits,
  onLoad: OnWorkLoad = () => {},
): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;
  const tell = () => onLoad({ running, waiting: waiting.length });

  const begin = async () => {
    if (running < limits.runningMax) {
      running++;
      return tell();
    }
    if (waiting.length >= limits.waitingMax) throw tooBusy();
    const turn = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(take), 1);
      tell();
      turn.reject(tooBusy());
    }, limits.waitMaxMs);
    const take = () => {
      clearTimeout(timer);
      turn.resolve();
    };
    waiting.push(take);
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

function tooBusy(): BusyError {
  return new BusyError(503, "too many requests are waiting; try again", retryAfterSeconds);
}

/**
 * Comparing a secret with a slow hash takes 16 or 32 MiB and one of the four threads that Node has
 * for such work. Signing needs one of them too. All who wait get their turn within seconds, unless
 * the machine is overloaded. Secrets of clients and passwords of people do not wait for each other.
 */
const comparisonLimits = {
  client_secret: { runningMax: 1, waitingMax: 64, waitMaxMs: 10_000 },
  password: { runningMax: 2, waitingMax: 64, waitMaxMs: 10_000 },
};

/** The limit for all slow comparisons of one kind in a process. */
export function limitHashing(
  kind: keyof typeof comparisonLimits,
  onLoad: OnWorkLoad,
): ConcurrencyLimit {
  return limitConcurrency(comparisonLimits[kind], onLoad);
}
