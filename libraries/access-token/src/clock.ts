/** A monotonic clock with timers, in milliseconds. Tests replace it. */
export interface Clock {
  readonly now: () => number;
  /** Runs the action once, unless the returned function is called first. */
  readonly after: (delayMs: number, action: () => void) => () => void;
  /** The same, but the timer does not keep the process alive. */
  readonly afterInBackground: (delayMs: number, action: () => void) => () => void;
}

export const steadyClock: Clock = {
  now: () => performance.now(),
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
  afterInBackground: (delayMs, action) => {
    const timer = setTimeout(action, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
