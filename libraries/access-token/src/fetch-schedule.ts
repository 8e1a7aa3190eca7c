/**
 * Decides when the next fetch may begin, so that the issuer sees a low rate however many ask and
 * however its endpoint behaves: one fetch at a time, and at most two beginnings in any two
 * spacings, whether they succeeded, failed or hang.
 *
 * As a rule one begins a spacing after the other. Using up both at once would leave a key published
 * right afterwards unseen for two spacings. That is worth it in one case: the last fetch brought
 * news (the first keys, or a rotation) and few are asking. Then the second may follow at once, and
 * a key published soon after the start of a service works at once too. Made-up key IDs bring no
 * news, and a flood of them is not few, so neither can use up the two together for long.
 */
import type { Clock } from "./clock.ts";
import { keySetCalmLookMs, keySetCalmRequestsMax } from "./limits.ts";

/** How a fetch ended. They are numbered from 1 in the order in which they began. */
export interface FetchOutcome {
  readonly number: number;
  /** Absent when the fetch succeeded. */
  readonly error?: Error;
}

export interface FetchScheduleOptions {
  clock: Clock;
  spacingMs: number;
  /** Tells whether it brought news. */
  fetch: () => Promise<boolean>;
  /** Called after each fetch. Must not throw. */
  ended: (outcome: FetchOutcome) => void;
}

export class FetchSchedule {
  readonly #options: FetchScheduleOptions;
  #begun = 0;
  #lastBeganAtMs = Number.NEGATIVE_INFINITY;
  #beforeLastBeganAtMs = Number.NEGATIVE_INFINITY;
  #mayBeEarly = false;
  #running = false;
  #planned = false;
  #requests = 0;

  constructor(options: FetchScheduleOptions) {
    this.#options = options;
  }

  /** How many fetches have begun. The next one has the number after. */
  get begun(): number {
    return this.#begun;
  }

  get running(): boolean {
    return this.#running;
  }

  /** Until the next fetch may begin; 0 when it may now. */
  get nextInMs(): number {
    const { clock, spacingMs } = this.#options;
    const pairEndsAtMs = this.#beforeLastBeganAtMs + 2 * spacingMs;
    const spacingEndsAtMs = this.#mayBeEarly ? pairEndsAtMs : this.#lastBeganAtMs + spacingMs;
    return Math.max(0, Math.max(pairEndsAtMs, spacingEndsAtMs) - clock.now());
  }

  /** Makes sure that a fetch begins as soon as one may. */
  request(): void {
    this.#requests++;
    if (!this.#planned && !this.#running) this.#plan();
  }

  #plan(): void {
    const { clock, spacingMs } = this.#options;
    this.#planned = true;
    const isEarly = this.#mayBeEarly && clock.now() < this.#lastBeganAtMs + spacingMs;
    const delayMs = Math.max(this.nextInMs, isEarly ? keySetCalmLookMs : 0);
    // In a microtask, so that all who ask at the same moment come before the beginning.
    if (delayMs === 0) queueMicrotask(() => this.#begin());
    else clock.afterInBackground(delayMs, () => this.#beginIfDue());
  }

  #beginIfDue(): void {
    if (this.#requests > keySetCalmRequestsMax) this.#mayBeEarly = false;
    // Besides a flood, a timer that fires a little early by our clock gets here.
    if (this.nextInMs > 0) this.#plan();
    else this.#begin();
  }

  #begin(): void {
    const number = ++this.#begun;
    this.#beforeLastBeganAtMs = this.#lastBeganAtMs;
    this.#lastBeganAtMs = this.#options.clock.now();
    this.#mayBeEarly = false;
    this.#planned = false;
    this.#running = true;
    this.#options.fetch().then(
      (broughtNews) => this.#end({ number }, broughtNews),
      (error: Error) => this.#end({ number, error }, false),
    );
  }

  #end(outcome: FetchOutcome, broughtNews: boolean): void {
    this.#running = false;
    this.#requests = 0;
    this.#mayBeEarly = broughtNews;
    this.#options.ended(outcome);
  }
}
