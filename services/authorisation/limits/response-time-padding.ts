/**
 * Pads the time of failures: they take equally long, whatever was compared. The answer to an
 * unknown name waits as long as comparisons took lately, so it reveals nothing; and it hashes
 * nothing, so a flood of unknown names takes no time from others.
 */
import { setTimeout } from "node:timers/promises";

/** Slow comparisons are remembered for one to two such periods. */
const periodMs = 30_000;

export class ResponseTimePadding {
  readonly #leastMs: number;
  #periodEndsAt = 0;
  #slowestMs = 0;
  #slowestBeforeMs = 0;

  /** @param leastMs how long a failure takes; longer than a comparison without load */
  constructor(leastMs: number) {
    this.#leastMs = leastMs;
  }

  /** Runs a comparison, and remembers how long it took, with the time it waited. */
  async compare<T>(comparison: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await comparison();
    } finally {
      this.#turnPeriod();
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startedAt);
    }
  }

  /** Waits until a failure may be answered. `startedAt` is from `performance.now()`. */
  async pad(startedAt: number): Promise<void> {
    this.#turnPeriod();
    const wholeMs = Math.max(this.#leastMs, this.#slowestMs, this.#slowestBeforeMs);
    const endsAt = startedAt + wholeMs;
    // A timer may fire some milliseconds early, by a clock that is coarser.
    for (let now = performance.now(); now < endsAt; now = performance.now()) {
      await setTimeout(Math.ceil(endsAt - now));
    }
  }

  #turnPeriod(): void {
    const now = performance.now();
    if (now < this.#periodEndsAt) return;
    this.#slowestBeforeMs = now < this.#periodEndsAt + periodMs ? this.#slowestMs : 0;
    this.#slowestMs = 0;
    this.#periodEndsAt = now + periodMs;
  }
}
