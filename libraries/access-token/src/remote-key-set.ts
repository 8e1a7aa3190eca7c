/**
 * The keys an issuer publishes, kept until it publishes others.
 *
 * A known key is given at once, whatever goes on. An unknown one asks for a fetch, and its request
 * is held for a moment. Anyone can send tokens with made-up key IDs, so neither the rate of fetches
 * nor the number of held requests grows with them; and an unknown key is called unknown only by a
 * fetch that began after the request came, since the key may be newer than what we hold.
 */
import type { KeyObject } from "node:crypto";
import { type Clock, steadyClock } from "./clock.ts";
import { fetchKeySet } from "./fetch-key-set.ts";
import { type FetchOutcome, FetchSchedule } from "./fetch-schedule.ts";
import type { KeySet } from "./key-set.ts";
import { keySetUrl } from "./key-set-url.ts";
import { keySetFetchSpacingMs, keySetWaitersMax, keySetWaitMs } from "./limits.ts";
import { quote, TokenRefusedError } from "./token-refused-error.ts";

export interface RemoteKeySetOptions {
  /** The issuer's address; the key set is at `{issuer}/.well-known/jwks.json`. */
  issuer: string;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Milliseconds that only ever grow. Default: `performance.now`. */
  now?: () => number;
}

/** Nothing is fetched before the first key is asked for. Throws a TypeError for a bad issuer. */
export function remoteKeySet(options: RemoteKeySetOptions): KeySet {
  const clock = { ...steadyClock, now: options.now ?? steadyClock.now };
  return new RemoteKeySet(options, clock);
}

type Keys = ReadonlyMap<string, KeyObject>;

interface Waiter {
  readonly keyId: string;
  /** The first fetch whose answer can tell that the key does not exist. */
  readonly decidingFetch: number;
  readonly deadlineMs: number;
  readonly resolve: (key: KeyObject) => void;
  readonly reject: (error: TokenRefusedError) => void;
  readonly cancelTimer: () => void;
}

export class RemoteKeySet implements KeySet {
  readonly #clock: Clock;
  readonly #schedule: FetchSchedule<Keys>;
  readonly #waiters = new Set<Waiter>();
  #keys: Keys = new Map();
  #lastError: Error | undefined;

  constructor(options: Pick<RemoteKeySetOptions, "issuer" | "fetch">, clock: Clock) {
    const url = keySetUrl(options.issuer);
    // Looked up at each use: programs and their tests replace the global.
    const fetch = options.fetch ?? ((...request) => globalThis.fetch(...request));
    this.#clock = clock;
    this.#schedule = new FetchSchedule({
      clock,
      spacingMs: keySetFetchSpacingMs,
      fetch: () => fetchKeySet({ url, fetch, clock }),
      ended: (outcome) => this.#fetchEnded(outcome),
    });
  }

  find(keyId: string): KeyObject | Promise<KeyObject> {
    return this.#keys.get(keyId) ?? this.#wait(keyId);
  }

  #wait(keyId: string): Promise<KeyObject> {
    const schedule = this.#schedule;
    schedule.plan();
    if (!schedule.running && schedule.nextInMs > keySetWaitMs) {
      throw this.#unavailable("no fetch may begin soon enough to wait for");
    }
    if (this.#waiters.size >= keySetWaitersMax) {
      throw this.#unavailable(`${keySetWaitersMax} requests wait for the next fetch`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<KeyObject>();
    const waiter: Waiter = {
      keyId,
      decidingFetch: schedule.begun + 1,
      deadlineMs: this.#clock.now() + keySetWaitMs,
      resolve,
      reject,
      cancelTimer: this.#clock.after(keySetWaitMs, () => {
        this.#refuse(waiter, this.#unavailable(`no answer within ${keySetWaitMs} ms`));
      }),
    };
    this.#waiters.add(waiter);
    return promise;
  }

  #fetchEnded(outcome: FetchOutcome<Keys>): void {
    if ("value" in outcome) this.#keys = outcome.value;
    this.#lastError = "error" in outcome ? outcome.error : undefined;
    for (const waiter of this.#waiters) this.#answer(waiter, outcome);
    if (this.#waiters.size > 0) this.#schedule.plan();
  }

  #answer(waiter: Waiter, outcome: FetchOutcome<Keys>): void {
    const key = this.#keys.get(waiter.keyId);
    if (key !== undefined) {
      this.#dismiss(waiter);
      waiter.resolve(key);
      return;
    }
    if (outcome.number >= waiter.decidingFetch) {
      this.#refuse(
        waiter,
        "value" in outcome ? unknown(waiter.keyId) : this.#unavailable("failed"),
      );
      return;
    }
    // Held only as long as the next fetch can still come in time.
    if (this.#clock.now() + this.#schedule.nextInMs > waiter.deadlineMs) {
      this.#refuse(waiter, this.#unavailable("no fetch may begin soon enough to wait for"));
    }
  }

  #refuse(waiter: Waiter, error: TokenRefusedError): void {
    this.#dismiss(waiter);
    waiter.reject(error);
  }

  #dismiss(waiter: Waiter): void {
    waiter.cancelTimer();
    this.#waiters.delete(waiter);
  }

  #unavailable(detail: string): TokenRefusedError {
    const error = this.#lastError;
    const because = error === undefined ? "" : `; last: ${error.message}`;
    return new TokenRefusedError(
      "KEY_SET_UNAVAILABLE",
      `Cannot get the key set: ${detail}${because}`,
      {
        retryAfterSeconds: Math.max(1, Math.ceil(this.#schedule.nextInMs / 1000)),
        cause: error,
      },
    );
  }
}

function unknown(keyId: string): TokenRefusedError {
  return new TokenRefusedError("KEY_UNKNOWN", `unverified kid is ${quote(keyId)}`);
}
