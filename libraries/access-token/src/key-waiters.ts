/**
 * Requests held until their key arrives: each for a bounded time, and a bounded number of them.
 *
 * A request whose key the issuer is known not to have had gets a seat only while half of them are
 * free. So those who come again and again with the same made-up keys leave room for new ones.
 */
import { KeyObject } from "node:crypto";
import type { Clock } from "./clock.ts";
import type { Urgency } from "./fetch-schedule.ts";
import type { KeyRefusalCause, KeySetListener } from "./key-set-events.ts";
import { keySetWaitersMax, keySetWaitMs } from "./limits.ts";
import { quote, type TokenRefusedError } from "./token-refused-error.ts";

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

  constructor(clock: Clock, tell: KeySetListener) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Of the one who needs the next fetch soonest; undefined when nobody waits. */
  get urgency(): Urgency | undefined {
    if (this.#waiters.size === 0) return undefined;
    for (const { urgency } of this.#waiters) if (urgency === "soon") return urgency;
    return "in turn";
  }

  hasRoomFor({ urgency }: KeyRequest): boolean {
    const seats = urgency === "soon" ? keySetWaitersMax : keySetWaitersMax / 2;
    return this.#waiters.size < seats;
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
          this.#waiters.delete(waiter);
          if (answer instanceof KeyObject) resolve(answer);
          else reject(answer.error);
          this.#tellOfEnd(request, answer, this.#clock.now() - sinceMs);
        },
      };
      this.#waiters.add(waiter);
      const unverifiedKeyId = quote(request.keyId);
      this.#tell({ type: "requestHeld", unverifiedKeyId, waiting: this.#waiters.size });
    });
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
