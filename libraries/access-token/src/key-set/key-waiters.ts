/**
 * Holds requests until their key is fetched. Both the time and the number of requests are limited.
 *
 * Requests whose key the issuer lacked before get at most half of the places, so that repeated
 * invalid key IDs leave room for new ones. A quarter of the places is reserved for requests that
 * arrive when a fetch is about to begin. Otherwise a flood would occupy all places by then, and
 * requests with a new key would be refused until it is fetched.
 */
import { KeyObject } from "node:crypto";
import type { Clock } from "../clock.ts";
import { keySetWaitersMax, keySetWaitMs } from "../limits.ts";
import { quote, type TokenRefusedError } from "../token-refused-error.ts";
import type { Urgency } from "./fetch-schedule.ts";
import type { KeyRefusalCause, KeySetListener } from "./key-set-events.ts";

export interface KeyRequest {
  readonly keyId: string;
  /** `in turn` if the issuer lacked the key before. */
  readonly urgency: Urgency;
  /**
   * The first fetch that begins after the request. Only it can show that the key does not exist.
   */
  readonly decidingFetch: number;
}

export interface Waiter extends KeyRequest {
  readonly deadlineMs: number;
}

export interface KeyRefusal {
  readonly why: KeyRefusalCause;
  readonly error: TokenRefusedError;
}

interface HeldWaiter extends Waiter {
  /** Stops waiting and answers the request. */
  readonly end: (answer: KeyObject | KeyRefusal) => void;
}

export class KeyWaiters {
  readonly #clock: Clock;
  readonly #tell: KeySetListener;
  readonly #waiters = new Set<HeldWaiter>();
  /** How many of them have the urgency `in turn`. */
  #inTurn = 0;

  constructor(clock: Clock, tell: KeySetListener) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** The highest urgency of the held requests; undefined if there are none. */
  get urgency(): Urgency | undefined {
    if (this.#waiters.size === 0) return undefined;
    return this.#waiters.size > this.#inTurn ? "soon" : "in turn";
  }

  hasRoomFor(
    { urgency }: KeyRequest,
    { fetchIsBeginning }: { fetchIsBeginning: boolean },
  ): boolean {
    const places = keySetWaitersMax * (fetchIsBeginning ? 1 : 3 / 4);
    if (this.#waiters.size >= places) return false;
    return urgency === "soon" || this.#inTurn < places / 2;
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
          this.#tellOfEnd(request, answer, this.#clock.now() - sinceMs);
        },
      };
      this.#add(waiter);
      const unverifiedKeyId = quote(request.keyId);
      this.#tell({ type: "requestHeld", unverifiedKeyId, waiting: this.#waiters.size });
    });
  }

  #add(waiter: HeldWaiter): void {
    this.#waiters.add(waiter);
    if (waiter.urgency === "in turn") this.#inTurn++;
  }

  #remove(waiter: HeldWaiter): void {
    this.#waiters.delete(waiter);
    if (waiter.urgency === "in turn") this.#inTurn--;
  }

  /** Reports a request that cannot be held. Returns the error. */
  refuse(request: KeyRequest, refusal: KeyRefusal): TokenRefusedError {
    this.#tellOfEnd(request, refusal, 0);
    return refusal.error;
  }

  /** Answers held requests. Those for which `answerFor` returns undefined are held on. */
  answer(answerFor: (waiter: Waiter) => KeyObject | KeyRefusal | undefined): void {
    for (const waiter of this.#waiters) {
      const answer = answerFor(waiter);
      if (answer !== undefined) waiter.end(answer);
    }
  }

  #tellOfEnd(request: KeyRequest, answer: KeyObject | KeyRefusal, waitedMs: number): void {
    const end = { unverifiedKeyId: quote(request.keyId), waitedMs, waiting: this.#waiters.size };
    if (answer instanceof KeyObject) this.#tell({ type: "requestFound", ...end });
    else this.#tell({ type: "requestRefused", why: answer.why, ...end });
  }
}
