import type { Clock } from "../src/clock.ts";

/** A clock that only advances when the test advances it. */
export class FakeClock implements Clock {
  #nowMs = 1_000_000;
  readonly #timers = new Set<{ dueMs: number; action: () => void }>();

  readonly now = () => this.#nowMs;

  readonly after = (delayMs: number, action: () => void) => {
    const timer = { dueMs: this.#nowMs + delayMs, action };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  readonly afterInBackground = this.after;

  get timers(): number {
    return this.#timers.size;
  }

  /** Runs the timers that become due, in order of time. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.dueMs <= endMs);
      const next = due.sort((one, other) => one.dueMs - other.dueMs)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.action();
      await settled();
    }
    this.#nowMs = endMs;
  }
}

/** Lets all pending microtasks and immediates run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
