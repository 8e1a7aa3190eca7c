/**
 * Decides when the next fetch may begin: one at a time, and never sooner after the beginning of the
 * last than the spacing, whether that one succeeded, failed or still hangs. So however many ask, and
 * however the endpoint behaves, the issuer sees a fixed low rate.
 */
import type { Clock } from "./clock.ts";

/** How a fetch ended. They are numbered from 1 in the order in which they began. */
export type FetchOutcome<T> = { number: number } & ({ value: T } | { error: Error });

export class FetchSchedule<T> {
  readonly #clock: Clock;
  readonly #spacingMs: number;
  readonly #fetch: () => Promise<T>;
  readonly #ended: (outcome: FetchOutcome<T>) => void;
  #begun = 0;
  #lastBeganAtMs = Number.NEGATIVE_INFINITY;
  #running = false;
  #planned = false;

  constructor(options: {
    clock: Clock;
    spacingMs: number;
    fetch: () => Promise<T>;
    /** Called after each fetch. Must not throw. */
    ended: (outcome: FetchOutcome<T>) => void;
  }) {
    this.#clock = options.clock;
    this.#spacingMs = options.spacingMs;
    this.#fetch = options.fetch;
    this.#ended = options.ended;
  }

  /** How many fetches have begun. The next one has the number after. */
  get begun(): number {
    return this.#begun;
  }

  get running(): boolean {
    return this.#running;
  }

  /** Until the next fetch may begin; 0 when it may now. A fetch that runs on can delay it. */
  get nextInMs(): number {
    return Math.max(0, this.#lastBeganAtMs + this.#spacingMs - this.#clock.now());
  }

  /** Makes sure that a fetch begins as soon as one may. */
  plan(): void {
    if (this.#planned || this.#running) return;
    this.#planned = true;
    const delayMs = this.nextInMs;
    // In a microtask, so that all who ask at the same moment are before the beginning.
    if (delayMs === 0) queueMicrotask(() => this.#begin());
    else this.#clock.afterInBackground(delayMs, () => this.#beginWhenDue());
  }

  // Timers may fire a little early by the clock that counts.
  #beginWhenDue(): void {
    this.#planned = false;
    if (this.nextInMs > 0) this.plan();
    else this.#begin();
  }

  #begin(): void {
    this.#planned = false;
    this.#running = true;
    this.#begun++;
    this.#lastBeganAtMs = this.#clock.now();
    const number = this.#begun;
    this.#fetch().then(
      (value) => this.#end({ number, value }),
      (error: Error) => this.#end({ number, error }),
    );
  }

  #end(outcome: FetchOutcome<T>): void {
    this.#running = false;
    this.#ended(outcome);
  }
}
