/** Time that passes, for waiting. Steady: it has nothing to do with the time of day. */
export interface Clock {
  readonly now: () => number;
  /** Runs the action once, unless the returned function is called first. */
  readonly after: (delayMs: number, action: () => void) => () => void;
  /** The same, but never keeps a process alive that has nothing else to do. */
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
