/**
 * Requests held until their key arrives: each for a bounded time, and a bounded number of them.
 */
import type { KeyObject } from "node:crypto";
import type { Clock } from "./clock.ts";
import { keySetWaitersMax, keySetWaitMs } from "./limits.ts";
import type { TokenRefusedError } from "./token-refused-error.ts";

export interface Waiter {
  readonly keyId: string;
  /** The first fetch that began after the request came: only it can tell that there is no key. */
  readonly decidingFetch: number;
  readonly deadlineMs: number;
}

interface HeldWaiter extends Waiter {
  /** Ends the waiting, and then gives the answer. */
  readonly end: (answer: KeyObject | TokenRefusedError) => void;
}

export class KeyWaiters {
  readonly #clock: Clock;
  readonly #waiters = new Set<HeldWaiter>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiters.size;
  }

  get full(): boolean {
    return this.#waiters.size >= keySetWaitersMax;
  }

  hold(
    request: { keyId: string; decidingFetch: number },
    refusalWhenLate: () => TokenRefusedError,
  ): Promise<KeyObject> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(keySetWaitMs, () => waiter.end(refusalWhenLate()));
      const waiter: HeldWaiter = {
        ...request,
        deadlineMs: this.#clock.now() + keySetWaitMs,
        end: (answer) => {
          cancel();
          this.#waiters.delete(waiter);
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        },
      };
      this.#waiters.add(waiter);
    });
  }

  /** Whoever gets no answer is held on. */
  answer(answerFor: (waiter: Waiter) => KeyObject | TokenRefusedError | undefined): void {
    for (const waiter of this.#waiters) {
      const answer = answerFor(waiter);
      if (answer !== undefined) waiter.end(answer);
    }
  }
}
