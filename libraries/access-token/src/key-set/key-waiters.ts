/**
 * Holds requests until their key is fetched. Both the time and the number of requests are limited.
 *
 * Requests of normal urgency get at most half of the places, so that repeated invalid key IDs leave
 * room for new ones. A quarter of the places is reserved for requests that arrive when a fetch is
 * about to begin. Otherwise a flood would occupy all places by then, and requests with a new key
 * would be refused until it is fetched.
 */
import { KeyObject } from "node:crypto";
import type { Clock } from "../clock.ts";
import { keySetWaitersMax, keySetWaitMs } from "../limits.ts";
import { quote, type TokenRefusedError } from "../token-refused-error.ts";
import type { Urgency } from "./fetch-schedule.ts";
import type { KeyRefusalReason, KeySetListener } from "./key-set-events.ts";

export interface KeyRequest {
  readonly keyId: string;
  /** `normal` if the issuer lacked the key before. */
  readonly urgency: Urgency;
  /** Its number. An earlier fetch cannot show that the issuer lacks the key. */
  readonly firstFetchAfterRequest: number;
}

export interface Waiter extends KeyRequest {
  readonly deadlineMs: number;
}

export interface KeyRefusal {
  readonly reason: KeyRefusalReason;
  readonly error: TokenRefusedError;
}

interface HeldWaiter extends Waiter {
  /** Stops waiting and answers the request. */
  readonly end: (answer: KeyObject | KeyRefusal) => void;
}

export class KeyWaiters {
  readonly #clock: Clock;
  readonly #emit: KeySetListener;
  readonly #waiters = new Set<HeldWaiter>();
  /** How many of them have the urgency `normal`. */
  #normalCount = 0;

  constructor(clock: Clock, emit: KeySetListener) {
    this.#clock = clock;
    this.#emit = emit;
  }

  /** The highest urgency of the held requests; undefined if there are none. */
  get urgency(): Urgency | undefined {
    if (this.#waiters.size === 0) return undefined;
    return this.#waiters.size > this.#normalCount ? "high" : "normal";
  }

  hasRoomFor(
    { urgency }: KeyRequest,
    { fetchIsBeginning }: { fetchIsBeginning: boolean },
  ): boolean {
    const places = keySetWaitersMax * (fetchIsBeginning ? 1 : 3 / 4);
    if (this.#waiters.size >= places) return false;
    return urgency === "high" || this.#normalCount < places / 2;
  }

  hold(request: KeyRequest, refuseLate: () => KeyRefusal): Promise<KeyObject> {
    return new Promise((resolve, reject) => {
      const sinceMs = this.#clock.now();
      const cancel = this.#clock.after(keySetWaitMs, () => waiter.end(refuseLate()));
      const waiter: HeldWaiter = {
        ...request,
        deadlineMs: sinceMs + keySetWaitMs,
        end: (answer) => {
          cancel();
          this.#remove(waiter);
          if (answer instanceof KeyObject) resolve(answer);
          else reject(answer.error);
          this.#emitEnd(request, answer, this.#clock.now() - sinceMs);
        },
      };
      this.#add(waiter);
      const unverifiedKeyId = quote(request.keyId);
      this.#emit({ type: "requestHeld", unverifiedKeyId, waiting: this.#waiters.size });
    });
  }

  #add(waiter: HeldWaiter): void {
    this.#waiters.add(waiter);
    if (waiter.urgency === "normal") this.#normalCount++;
  }

  #remove(waiter: HeldWaiter): void {
    this.#waiters.delete(waiter);
    if (waiter.urgency === "normal") this.#normalCount--;
  }

  /** Reports a request that cannot be held. Returns the error. */
  refuse(request: KeyRequest, refusal: KeyRefusal): TokenRefusedError {
    this.#emitEnd(request, refusal, 0);
    return refusal.error;
  }

  /** Answers held requests. Those for which `answerFor` returns undefined are held on. */
  answer(answerFor: (waiter: Waiter) => KeyObject | KeyRefusal | undefined): void {
    for (const waiter of this.#waiters) {
      const answer = answerFor(waiter);
      if (answer !== undefined) waiter.end(answer);
    }
  }

  #emitEnd(request: KeyRequest, answer: KeyObject | KeyRefusal, waitedMs: number): void {
    const end = { unverifiedKeyId: quote(request.keyId), waitedMs, waiting: this.#waiters.size };
    if (answer instanceof KeyObject) this.#emit({ type: "requestFound", ...end });
    else this.#emit({ type: "requestRefused", reason: answer.reason, ...end });
  }
}
