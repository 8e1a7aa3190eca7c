/**
 * A key set that is fetched, and kept until the issuer publishes another.
 *
 * A known key is returned at once. An unknown one causes a fetch as soon as one is allowed. Its
 * request waits for that fetch if it ends soon, and is refused otherwise. A key counts as unknown
 * only after a fetch that began after the request, since it may be newer than the last fetch.
 *
 * Anyone can send tokens with made-up key IDs, so fetches are limited: one at a time, and at most
 * two starts in any two spacings, however they end. Usually one begins a spacing after the other,
 * so that a new key works within a spacing during a flood. Only when the last fetch has changed the
 * keys, and there are few requests, may the second one follow soon: a key that is published right
 * after the start of a service works at once, and made-up IDs cannot cause this for long.
 */
import type { KeyObject } from "node:crypto";
import type { Clock } from "../clock.ts";
import {
  keySetEarlyFetchDelayMs,
  keySetEarlyFetchRequestsMax,
  keySetFetchSpacingMs,
  keySetWaitMs,
} from "../limits.ts";
import { guardListener } from "../options.ts";
import { isKeyId } from "../parse-token.ts";
import { quote, TokenRefusedError } from "../token-refused-error.ts";
import type { KeySet } from "./key-set.ts";
import type { KeyRefusalReason, KeySetListener } from "./key-set-events.ts";
import { PublishedKeys } from "./published-keys.ts";

interface FetchedKeySetOptions {
  /** Resolves to the usable keys or rejects with an Error, within a limited time. */
  readonly download: () => Promise<ReadonlyMap<string, KeyObject>>;
  readonly clock: Clock;
  /** `Infinity`: keys are used for ever. */
  readonly maxAgeMs: number;
  readonly onEvent: KeySetListener | undefined;
}

/** How a fetch ended. Fetches are numbered from 1 in the order of their start. */
interface Outcome {
  readonly number: number;
  readonly error?: Error;
}

export class FetchedKeySet implements KeySet {
  readonly #options: FetchedKeySetOptions;
  readonly #clock: Clock;
  readonly #emit: KeySetListener;
  readonly #keys: PublishedKeys;
  /** The fetch that runs, or is about to begin. Never rejects. */
  #fetch: Promise<Outcome> | undefined;
  #isRunning = false;
  #begun = 0;
  #lastBeganAtMs = Number.NEGATIVE_INFINITY;
  #beforeLastBeganAtMs = Number.NEGATIVE_INFINITY;
  #mayBeEarly = false;
  /** Requests with unknown keys since the last fetch. */
  #requests = 0;
  #lastError: Error | undefined;

  constructor(options: FetchedKeySetOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#emit = guardListener(options.onEvent, "onEvent of a key set");
    this.#keys = new PublishedKeys(options.maxAgeMs);
  }

  get(keyId: string): KeyObject | undefined {
    const key = this.#keys.get(keyId);
    // This runs for every request. Most key sets have no maximum age and need not read the clock.
    if (key === undefined || this.#options.maxAgeMs === Number.POSITIVE_INFINITY) return key;
    const nowMs = this.#clock.now();
    if (this.#keys.shouldBeRenewed(nowMs)) void this.#nextFetch();
    return this.#keys.areTooOld(nowMs) ? undefined : key;
  }

  getOrFetch(keyId: string): KeyObject | Promise<KeyObject> {
    const key = this.get(keyId);
    if (key !== undefined) return key;
    // No key set can contain it, so there is nothing to fetch.
    if (!isKeyId(keyId)) throw unknownKey(keyId);
    this.#requests += 1;
    const fetch = this.#nextFetch();
    if (!this.#isRunning && this.#nextInMs() > keySetWaitMs) {
      throw this.#refuse(keyId, "nextFetchTooLate");
    }
    return this.#wait(keyId, fetch, this.#begun + 1);
  }

  async #wait(keyId: string, fetch: Promise<Outcome>, firstFetch: number): Promise<KeyObject> {
    const late = Promise.withResolvers<undefined>();
    const cancel = this.#clock.after(keySetWaitMs, () => late.resolve(undefined));
    const outcome = await Promise.race([fetch, late.promise]);
    cancel();
    const key = this.get(keyId);
    if (key === undefined) throw this.#refuse(keyId, refusalReason(outcome, firstFetch));
    this.#emit({ type: "requestFound", unverifiedKeyId: quote(keyId) });
    return key;
  }

  #refuse(keyId: string, reason: KeyRefusalReason): TokenRefusedError {
    this.#emit({ type: "requestRefused", unverifiedKeyId: quote(keyId), reason });
    if (reason === "unknown") return unknownKey(keyId);
    const cause = this.#lastError;
    const lastTime = cause ? `; last time: ${cause.message}` : "";
    const detail = `Cannot get the key set: ${unavailableBecause[reason]}${lastTime}`;
    const retryAfterSeconds = Math.max(1, Math.ceil(this.#nextInMs() / 1000));
    return new TokenRefusedError("KEY_SET_UNAVAILABLE", detail, { retryAfterSeconds, cause });
  }

  /** The time until the next fetch may begin; 0 if it may begin now. */
  #nextInMs(): number {
    const pairEndsAtMs = this.#beforeLastBeganAtMs + 2 * keySetFetchSpacingMs;
    const spacingEndsAtMs = this.#lastBeganAtMs + keySetFetchSpacingMs;
    const nextAtMs = this.#mayBeEarly ? pairEndsAtMs : Math.max(pairEndsAtMs, spacingEndsAtMs);
    return Math.max(0, nextAtMs - this.#clock.now());
  }

  #nextFetch(): Promise<Outcome> {
    this.#fetch ??= this.#fetchWhenAllowed().finally(() => {
      this.#isRunning = false;
      this.#fetch = undefined;
      this.#requests = 0;
    });
    return this.#fetch;
  }

  async #fetchWhenAllowed(): Promise<Outcome> {
    if (this.#clock.now() - this.#lastBeganAtMs < keySetFetchSpacingMs && this.#mayBeEarly) {
      await this.#sleep(keySetEarlyFetchDelayMs);
      if (this.#requests > keySetEarlyFetchRequestsMax) this.#mayBeEarly = false;
    }
    // A timer may fire slightly early.
    while (this.#nextInMs() > 0) await this.#sleep(this.#nextInMs());
    // All simultaneous requests count as being before it.
    await Promise.resolve();
    this.#isRunning = true;
    this.#begun += 1;
    const number = this.#begun;
    this.#beforeLastBeganAtMs = this.#lastBeganAtMs;
    this.#lastBeganAtMs = this.#clock.now();
    this.#mayBeEarly = false;
    try {
      this.#replaceKeys(await this.#options.download());
      this.#lastError = undefined;
      return { number };
    } catch (reason) {
      const error = reason as Error;
      this.#lastError = error;
      this.#emit({ type: "fetchFailed", durationMs: this.#sinceBeginMs, error });
      return { number, error };
    }
  }

  #replaceKeys(keys: ReadonlyMap<string, KeyObject>): void {
    const changes = this.#keys.replace(keys, this.#lastBeganAtMs);
    const { keyIds } = this.#keys;
    this.#emit({ type: "fetched", durationMs: this.#sinceBeginMs, keyIds, ...changes });
    this.#mayBeEarly = Object.values(changes).some((ids) => ids.length > 0);
  }

  get #sinceBeginMs(): number {
    return this.#clock.now() - this.#lastBeganAtMs;
  }

  #sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#clock.afterInBackground(delayMs, resolve));
  }
}

function refusalReason(outcome: Outcome | undefined, firstFetch: number): KeyRefusalReason {
  if (outcome === undefined) return "fetchTimedOut";
  if (outcome.error !== undefined) return "fetchFailed";
  return outcome.number < firstFetch ? "nextFetchTooLate" : "unknown";
}

const unavailableBecause = {
  fetchFailed: "the fetch failed",
  nextFetchTooLate: "the next fetch begins too late to wait for",
  fetchTimedOut: `it did not come within ${keySetWaitMs} ms`,
} as const satisfies Record<Exclude<KeyRefusalReason, "unknown">, string>;

function unknownKey(keyId: unknown): TokenRefusedError {
  return new TokenRefusedError("KEY_UNKNOWN", `unverified kid is ${quote(keyId)}`);
}
