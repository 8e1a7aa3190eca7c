/**
 * Limits the rate of fetches, however many requests need one and however the issuer behaves: one
 * fetch at a time, and at most two starts in any two spacings, whether they succeed, fail or hang.
 *
 * Normally a fetch begins one spacing after the previous one. Two fetches at once would leave a key
 * published right afterwards unseen for two spacings. This is accepted in one case: the last fetch
 * changed the keys (the first keys, or a rotation) and there are few requests. Then the second
 * fetch may follow at once, so that a key published soon after the start of a service works at
 * once. Invalid key IDs change no keys, and a flood of them is not few requests, so neither can
 * cause this for long. Requests that a fetch has not helped before wait for the normal time.
 */
import type { Clock } from "../clock.ts";
import {
  keySetEarlyFetchDelayMs,
  keySetEarlyFetchRequestsMax,
  keySetReservedPlacesMs,
} from "../limits.ts";

/** How a fetch ended. Fetches are numbered from 1 in the order of their start. */
export interface FetchOutcome {
  readonly number: number;
  /** Absent when the fetch succeeded. */
  readonly error?: Error;
}

/** `high`: begin before the spacing is over if that is allowed. */
export type Urgency = "high" | "normal";

interface FetchScheduleOptions {
  clock: Clock;
  spacingMs: number;
  /** Resolves to whether the keys changed. */
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

  /** The number of fetches that have begun, and of the latest one. */
  get begun(): number {
    return this.#begun;
  }

  get running(): boolean {
    return this.#running;
  }

  /** Whether a fetch is about to begin or has just begun. */
  get isBeginning(): boolean {
    const sinceLastMs = this.#options.clock.now() - this.#lastBeganAtMs;
    return Math.min(this.nextInMs("normal"), sinceLastMs) <= keySetReservedPlacesMs;
  }

  /** The time until the next fetch may begin at this urgency; 0 if it may begin now. */
  nextInMs(urgency: Urgency): number {
    const { clock, spacingMs } = this.#options;
    const pairEndsAtMs = this.#beforeLastBeganAtMs + 2 * spacingMs;
    const mayBeEarly =
      this.#mayBeEarly && (urgency === "high" || this.#planned?.urgency === "high");
    const spacingEndsAtMs = mayBeEarly ? pairEndsAtMs : this.#lastBeganAtMs + spacingMs;
    return Math.max(0, Math.max(pairEndsAtMs, spacingEndsAtMs) - clock.now());
  }

  /** Makes a fetch begin as soon as the schedule allows. */
  request(urgency: Urgency): void {
    this.#requests++;
    if (this.#running) return;
    const isSooner = this.nextInMs(urgency) < this.nextInMs("normal");
    if (this.#planned !== undefined && !isSooner) return;
    this.#planned?.cancel();
    this.#plan(urgency);
  }

  #plan(urgency: Urgency): void {
    this.#planned = undefined;
    const normalMs = this.nextInMs("normal");
    const soonestMs = this.nextInMs(urgency);
    const delayMs =
      soonestMs < normalMs
        ? Math.min(normalMs, Math.max(soonestMs, keySetEarlyFetchDelayMs))
        : normalMs;
    this.#planned = { urgency, cancel: this.#after(delayMs, () => this.#beginIfDue(urgency)) };
  }

  /** Without a delay, runs in a microtask, after all simultaneous requests. */
  #after(delayMs: number, action: () => void): () => void {
    if (delayMs > 0) return this.#options.clock.afterInBackground(delayMs, action);
    queueMicrotask(action);
    return () => undefined;
  }

  #beginIfDue(urgency: Urgency): void {
    if (this.#requests > keySetEarlyFetchRequestsMax) this.#mayBeEarly = false;
    // The time is not over after a flood, or if the timer fired slightly early.
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
      (keysChanged) => this.#end({ number }, keysChanged),
      (error: Error) => this.#end({ number, error }, false),
    );
  }

  #end(outcome: FetchOutcome, keysChanged: boolean): void {
    this.#running = false;
    this.#requests = 0;
    this.#mayBeEarly = keysChanged;
    this.#options.ended(outcome);
  }
}
