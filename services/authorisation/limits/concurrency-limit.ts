/** Limits how much expensive work runs at once, and how much waits. */
import { BusyError } from "./busy-error.ts";

/** The most calls that may wait, `pass` included. */
const turnsMax = 10_000;

/** After this time, the work that waits now has usually run. */
const retryAfterSeconds = 1;

/** Runs work in the order of the calls. */
export interface ConcurrencyLimit {
  /** Rejects with a BusyError, at once if too much waits, and later if it has waited too long. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Waits and rejects as `run` does. Takes no place: it only waits for its turn. */
  pass(): Promise<void>;
}

/** Is called whenever the amount of running or waiting work changes. */
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
  const waiting: Turn[] = [];
  let running = 0;
  let waitingWork = 0;
  const tell = () => onLoad({ running, waiting: waitingWork });

  const begin = async (isWork: boolean) => {
    if (running < limits.runningMax) {
      if (isWork) running++;
      return tell();
    }
    const isFull = waitingWork >= limits.waitingMax || waiting.length >= turnsMax;
    if (isFull) throw tooBusy();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(turn), 1);
      if (isWork) waitingWork--;
      tell();
      reject(tooBusy());
    }, limits.waitMaxMs);
    const take = () => {
      clearTimeout(timer);
      resolve();
    };
    const turn = { isWork, take };
    waiting.push(turn);
    if (isWork) waitingWork++;
    tell();
    await promise;
  };
  const end = () => {
    // The next work in line takes over the place, so that no newcomer gets it first.
    let next = waiting.shift();
    for (; next?.isWork === false; next = waiting.shift()) next.take();
    if (next === undefined) {
      running--;
    } else {
      waitingWork--;
      next.take();
    }
    tell();
  };

  return {
    async run(work) {
      await begin(true);
      try {
        return await work();
      } finally {
        end();
      }
    },
    pass: () => begin(false),
  };
}

interface Turn {
  readonly isWork: boolean;
  take(): void;
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

/** Many people may share an account, and sign in at the same time. */
const limitsOfName: WorkLimits = { runningMax: 1, waitingMax: 64, waitMaxMs: 10_000 };

/** Runs work of one name after the other; that of different names at once. */
export class NameLimit {
  readonly #limits = new Map<string, { readonly limit: ConcurrencyLimit; users: number }>();

  /** Rejects as `ConcurrencyLimit.run` does. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const found = this.#limits.get(name) ?? { limit: limitConcurrency(limitsOfName), users: 0 };
    this.#limits.set(name, found);
    found.users++;
    try {
      return await found.limit.run(work);
    } finally {
      found.users--;
      if (found.users === 0) this.#limits.delete(name);
    }
  }
}
