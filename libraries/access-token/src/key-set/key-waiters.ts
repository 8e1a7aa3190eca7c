/**
 * Requests held until their key arrives: each for a bounded time, and a bounded number of them.
 *
 * Not all seats are for whoever comes first. Those whose key the issuer is known to have lacked get
 * half of them at most, so that who repeats made-up key IDs leaves room for new ones. And a quarter
 * is kept for those who come when the fetch is about to begin: else a flood would have taken all
 * seats by then, and a key would work only once it has been fetched.
 */
import { KeyObject } from "node:crypto";
import type { Clock } from "../clock.ts";
import { keySetWaitersMax, keySetWaitMs } from "../limits.ts";
import { quote, type TokenRefusedError } from "../token-refused-error.ts";
import type { Urgency } from "./fetch-schedule.ts";
import type { KeyRefusalCause, KeySetListener } from "./key-set-events.ts";

export interface KeyRequest {
  readonly keyId: string;
  /** How soon it needs the fetch: `in turn` if the key was absent before. */
  readonly urgency: Urgency;
  /** The first fetch that began after the request came: only it can tell that there is no key. */
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
  /** Ends the waiting, and then gives the answer. */
  readonly end: (answer: KeyObject | KeyRefusal) => void;
}

export class KeyWaiters {
  readonly #clock: Clock;
  readonly #tell: KeySetListener;
  readonly #waiters = new Set<HeldWaiter>();
  /** How many of them wait their turn. */
  #inTurn = 0;

  constructor(clock: Clock, tell: KeySetListener) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Of the one who needs the next fetch soonest; undefined when nobody waits. */
  get urgency(): Urgency | undefined {
    if (this.#waiters.size === 0) return undefined;
    return this.#waiters.size > this.#inTurn ? "soon" : "in turn";
  }

  hasRoomFor(
    { urgency }: KeyRequest,
    { fetchIsBeginning }: { fetchIsBeginning: boolean },
  ): boolean {
    const seats = keySetWaitersMax * (fetchIsBeginning ? 1 : 3 / 4);
    if (this.#waiters.size >= seats) return false;
    return urgency === "soon" || this.#inTurn < seats / 2;
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

  /** Whoever cannot be held. Gives the error. */
  refuse(request: KeyRequest, refusal: KeyRefusal): TokenRefusedError {
    this.#tellOfEnd(request, refusal, 0);
    return refusal.error;
  }

  /** Whoever gets no answer is held on. */
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
