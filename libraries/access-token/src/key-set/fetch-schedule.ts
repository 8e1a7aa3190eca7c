/**
 * Decides when the next fetch may begin, so that the issuer sees a low rate however many ask and
 * however its endpoint behaves: one fetch at a time, and at most two beginnings in any two
 * spacings, whether they succeeded, failed or hang.
 *
 * As a rule one begins a spacing after the other. Using up both at once would leave a key published
 * right afterwards unseen for two spacings. That is worth it in one case: the last fetch brought
 * news (the first keys, or a rotation) and few are asking. Then the second may follow at once, and
 * a key published soon after the start of a service works at once too. Made-up key IDs bring no
 * news, and a flood of them is not few, so neither can use up the two together for long. Those of
 * whom it is known that a fetch has not helped before wait their turn.
 */
import type { Clock } from "../clock.ts";
import { keySetBeginningMs, keySetCalmLookMs, keySetCalmRequestsMax } from "../limits.ts";

/** How a fetch ended. They are numbered from 1 in the order in which they began. */
export interface FetchOutcome {
  readonly number: number;
  /** Absent when the fetch succeeded. */
  readonly error?: Error;
}

/** Whether to begin before a spacing is over, if that is allowed. */
export type Urgency = "soon" | "in turn";

interface FetchScheduleOptions {
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
  #planned: { readonly urgency: Urgency; readonly cancel: () => void } | undefined;
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

  /** Whether a fetch begins in a moment or has just begun. */
  get isBeginning(): boolean {
    const sinceLastMs = this.#options.clock.now() - this.#lastBeganAtMs;
    return Math.min(this.nextInMs("in turn"), sinceLastMs) <= keySetBeginningMs;
  }

  /** Until the next fetch may begin for who asks so; 0 when it may now. */
  nextInMs(urgency: Urgency): number {
    const { clock, spacingMs } = this.#options;
    const pairEndsAtMs = this.#beforeLastBeganAtMs + 2 * spacingMs;
    const mayBeEarly =
      this.#mayBeEarly && (urgency === "soon" || this.#planned?.urgency === "soon");
    const spacingEndsAtMs = mayBeEarly ? pairEndsAtMs : this.#lastBeganAtMs + spacingMs;
    return Math.max(0, Math.max(pairEndsAtMs, spacingEndsAtMs) - clock.now());
  }

  /** Makes sure that a fetch begins as soon as one may. */
  request(urgency: Urgency): void {
    this.#requests++;
    if (this.#running) return;
    const isSooner = this.nextInMs(urgency) < this.nextInMs("in turn");
    if (this.#planned !== undefined && !isSooner) return;
    this.#planned?.cancel();
    this.#plan(urgency);
  }

  #plan(urgency: Urgency): void {
    this.#planned = undefined;
    const inTurnMs = this.nextInMs("in turn");
    const soonestMs = this.nextInMs(urgency);
    const delayMs =
      soonestMs < inTurnMs ? Math.min(inTurnMs, Math.max(soonestMs, keySetCalmLookMs)) : inTurnMs;
    this.#planned = { urgency, cancel: this.#after(delayMs, () => this.#beginIfDue(urgency)) };
  }

  /** At once means in a microtask, so that all who ask at the same moment come before it. */
  #after(delayMs: number, action: () => void): () => void {
    if (delayMs > 0) return this.#options.clock.afterInBackground(delayMs, action);
    queueMicrotask(action);
    return () => undefined;
  }

  #beginIfDue(urgency: Urgency): void {
    if (this.#requests > keySetCalmRequestsMax) this.#mayBeEarly = false;
    // Besides a flood, a timer that fires a little early by our clock gets here.
    if (this.nextInMs(urgency) > 0) this.#plan(urgency);
    else this.#begin();
  }

  #begin(): void {
    const number = ++this.#begun;
    this.#beforeLastBeganAtMs = this.#lastBeganAtMs;
    this.#lastBeganAtMs = this.#options.clock.now();
    this.#mayBeEarly = false;
    this.#planned = undefined;
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
