/**
 * Makes failures take equally long, whether there was a hash to compare with or not. A failure
 * without a comparison waits for its turn too, and then as long as the last comparison took. All
 * failures take at least as long as the slowest recent comparison. Nothing is hashed for an unknown
 * name, so a flood of unknown names does not delay others.
 */
import { setTimeout } from "node:timers/promises";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";

/** Slow comparisons are remembered for one to two such periods. */
const periodMs = 30_000;

export class ResponseTimePadding {
  readonly #limit: ConcurrencyLimit;
  readonly #leastMs: number;
  /** The last comparison, without the time it waited. */
  #comparisonMs = 0;
  #periodEndsAt = 0;
  #slowestMs = 0;
  #slowestBeforeMs = 0;

  /**
   * @param limit of the comparisons
   * @param leastMs how long a failure takes; longer than a comparison without load. Slower failures
   *   take a multiple of it.
   */
  constructor(limit: ConcurrencyLimit, leastMs: number) {
    this.#limit = limit;
    this.#leastMs = leastMs;
  }

  /** Runs a comparison when its turn comes. Rejects with a BusyError. */
  async compare<T>(comparison: () => Promise<T>): Promise<T> {
    return await this.#remember(() =>
      this.#limit.run(async () => {
        const startedAt = performance.now();
        try {
          return await comparison();
        } finally {
          this.#comparisonMs = performance.now() - startedAt;
        }
      }),
    );
  }

  /** Takes as long as `compare` would, and rejects like it, but delays no comparison. */
  async compareNothing(): Promise<false> {
    return await this.#remember(async () => {
      await this.#limit.pass();
      return await setTimeout(this.#comparisonMs, false as const);
    });
  }

  /** Waits until a failure may be answered. `startedAt` is from `performance.now()`. */
  async pad(startedAt: number): Promise<void> {
    this.#turnPeriod();
    const tookMs = performance.now() - startedAt;
    const wholeMs = Math.max(tookMs, this.#leastMs, this.#slowestMs, this.#slowestBeforeMs);
    // Rounded up to a multiple, since two comparisons never take exactly the same time.
    const endsAt = startedAt + Math.ceil(wholeMs / this.#leastMs) * this.#leastMs;
    // Timers use a coarser clock, so they may fire some milliseconds early.
    for (let now = performance.now(); now < endsAt; now = performance.now()) {
      await setTimeout(Math.ceil(endsAt - now));
    }
  }

  async #remember<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.#turnPeriod();
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startedAt);
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
