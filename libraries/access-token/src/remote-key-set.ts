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
import { KeyWaiters, type Waiter } from "./key-waiters.ts";
import { keySetAgeMsMin, keySetFetchSpacingMs, keySetWaitMs } from "./limits.ts";
import { quote, TokenRefusedError } from "./token-refused-error.ts";

export interface RemoteKeySetOptions {
  /** The issuer's address; the key set is at `{issuer}/.well-known/jwks.json`. */
  issuer: string;
  /**
   * How long keys are used without hearing from the issuer again. Default: for ever, so that they
   * outlive any outage. With it, withdrawn keys fall by themselves, and known keys are asked for
   * again once half the age is over. At least 30,000.
   */
  maxAgeMs?: number;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Milliseconds that only ever grow. Default: `performance.now`. */
  now?: () => number;
}

export interface RemoteKeySet extends KeySet {
  /**
   * Fetches the keys again, as soon as the bound on fetches allows: for when the issuer is known to
   * have withdrawn one. Rejects with an Error when that fetch fails; the keys then stay.
   */
  reload(): Promise<void>;
}

/** Nothing is fetched before the first key is asked for. Throws a TypeError for bad options. */
export function remoteKeySet(options: RemoteKeySetOptions): RemoteKeySet {
  return createRemoteKeySet(options, { ...steadyClock, now: options.now ?? steadyClock.now });
}

/** The same with time of its own, for tests. */
export function createRemoteKeySet(options: RemoteKeySetOptions, clock: Clock): RemoteKeySet {
  const keySet = new FetchedKeySet(options, clock);
  return Object.freeze({
    known: (keyId: string) => keySet.known(keyId),
    find: (keyId: string) => keySet.find(keyId),
    reload: () => keySet.reload(),
  });
}

type Keys = ReadonlyMap<string, KeyObject>;

class FetchedKeySet {
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  readonly #schedule: FetchSchedule;
  readonly #waiters: KeyWaiters;
  readonly #reloads = new Set<(outcome: FetchOutcome) => void>();
  #keys: Keys = new Map();
  #keysAskedForAtMs = 0;
  #lastError: Error | undefined;

  constructor(options: RemoteKeySetOptions, clock: Clock) {
    const url = keySetUrl(options.issuer);
    // Looked up at each use: programs and their tests replace the global.
    const fetch = options.fetch ?? ((...request) => globalThis.fetch(...request));
    this.#clock = clock;
    this.#maxAgeMs = checkMaxAge(options.maxAgeMs);
    this.#waiters = new KeyWaiters(clock);
    this.#schedule = new FetchSchedule({
      clock,
      spacingMs: keySetFetchSpacingMs,
      fetch: () => this.#take(() => fetchKeySet({ url, fetch, clock })),
      ended: (outcome) => this.#fetchEnded(outcome),
    });
  }

  find(keyId: string): KeyObject | Promise<KeyObject> {
    return this.known(keyId) ?? this.#wait(keyId);
  }

  reload(): Promise<void> {
    const decidingFetch = this.#schedule.begun + 1;
    this.#schedule.request();
    return new Promise((resolve, reject) => {
      const settle = ({ number, error }: FetchOutcome) => {
        if (number < decidingFetch) return;
        this.#reloads.delete(settle);
        if (error === undefined) resolve();
        else reject(error);
      };
      this.#reloads.add(settle);
    });
  }

  known(keyId: string): KeyObject | undefined {
    const key = this.#keys.get(keyId);
    if (key === undefined || this.#maxAgeMs === Number.POSITIVE_INFINITY) return key;
    const ageMs = this.#clock.now() - this.#keysAskedForAtMs;
    if (ageMs > this.#maxAgeMs / 2) this.#schedule.request();
    return ageMs > this.#maxAgeMs ? undefined : key;
  }

  #wait(keyId: string): Promise<KeyObject> {
    const schedule = this.#schedule;
    schedule.request();
    if (!schedule.running && schedule.nextInMs > keySetWaitMs) throw this.#unavailable(tooLate);
    if (this.#waiters.full) throw this.#unavailable("too many requests wait for it");
    return this.#waiters.hold({ keyId, decidingFetch: schedule.begun + 1 }, () =>
      this.#unavailable(`it did not come within ${keySetWaitMs} ms`),
    );
  }

  async #take(fetchKeys: () => Promise<Keys>): Promise<boolean> {
    const askedAtMs = this.#clock.now();
    const keys = await fetchKeys();
    const areNews = !haveSameKeys(keys, this.#keys);
    this.#keys = keys;
    this.#keysAskedForAtMs = askedAtMs;
    return areNews;
  }

  #fetchEnded(outcome: FetchOutcome): void {
    this.#lastError = outcome.error;
    for (const settle of this.#reloads) settle(outcome);
    this.#waiters.answer((waiter) => this.#answerFor(waiter, outcome));
    if (this.#waiters.size + this.#reloads.size > 0) this.#schedule.request();
  }

  #answerFor(waiter: Waiter, outcome: FetchOutcome): KeyObject | TokenRefusedError | undefined {
    const key = this.known(waiter.keyId);
    if (key !== undefined) return key;
    if (outcome.number >= waiter.decidingFetch) {
      return outcome.error === undefined
        ? new TokenRefusedError("KEY_UNKNOWN", `unverified kid is ${quote(waiter.keyId)}`)
        : this.#unavailable("the fetch failed");
    }
    const comesInTime = this.#clock.now() + this.#schedule.nextInMs <= waiter.deadlineMs;
    return comesInTime ? undefined : this.#unavailable(tooLate);
  }

  #unavailable(why: string): TokenRefusedError {
    const error = this.#lastError;
    const detail = `Cannot get the key set: ${why}${error ? `; last time: ${error.message}` : ""}`;
    return new TokenRefusedError("KEY_SET_UNAVAILABLE", detail, {
      retryAfterSeconds: Math.max(1, Math.ceil(this.#schedule.nextInMs / 1000)),
      cause: error,
    });
  }
}

const tooLate = "the next fetch begins too late to wait for";

function haveSameKeys(some: Keys, others: Keys): boolean {
  if (some.size !== others.size) return false;
  for (const [keyId, key] of some) {
    if (others.get(keyId)?.equals(key) !== true) return false;
  }
  return true;
}

function checkMaxAge(maxAgeMs = Number.POSITIVE_INFINITY): number {
  if (maxAgeMs >= keySetAgeMsMin) return maxAgeMs;
  throw new TypeError(
    `Cannot make a key set: maxAgeMs is ${maxAgeMs}, need at least ${keySetAgeMsMin}`,
  );
}
