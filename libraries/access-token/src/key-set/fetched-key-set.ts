/**
 * A key set that is fetched, and kept until the issuer publishes another.
 *
 * A known key is returned at once. An unknown one causes a fetch, and its request is held for a
 * short time. Anyone can send tokens with invalid key IDs, so the rate of fetches and the number of
 * held requests are limited. A key counts as unknown only after a fetch that began after the
 * request, since the key may be newer than the last fetch.
 */
import type { KeyObject } from "node:crypto";
import type { Clock } from "../clock.ts";
import {
  keySetFetchSpacingMs,
  keySetReloadMsMax,
  keySetWaitMs,
  unknownKeyIdsMax,
} from "../limits.ts";
import { guardListener } from "../options.ts";
import { isKeyId } from "../parse-token.ts";
import { quote, TokenRefusedError } from "../token-refused-error.ts";
import { TwoGenerationCache } from "../two-generation-cache.ts";
import { type FetchOutcome, FetchSchedule, type Urgency } from "./fetch-schedule.ts";
import type { KeyRefusalReason, KeySetListener } from "./key-set-events.ts";
import { type KeyRefusal, type KeyRequest, KeyWaiters, type Waiter } from "./key-waiters.ts";
import { PublishedKeys } from "./published-keys.ts";

interface FetchedKeySetOptions {
  /** Resolves to the usable keys or rejects with an Error, within a limited time. */
  readonly download: () => Promise<ReadonlyMap<string, KeyObject>>;
  readonly clock: Clock;
  /** `Infinity`: keys are used for ever. */
  readonly maxAgeMs: number;
  readonly onEvent: KeySetListener | undefined;
}

export class FetchedKeySet {
  readonly #options: FetchedKeySetOptions;
  readonly #clock: Clock;
  readonly #emit: KeySetListener;
  readonly #keys: PublishedKeys;
  /**
   * Key IDs that the issuer did not have. A key may be published after its first use, so they are
   * not refused, but requests with such an ID get a lower priority.
   */
  readonly #unknownKeyIds = new TwoGenerationCache<true>({ entriesMax: unknownKeyIdsMax });
  readonly #schedule: FetchSchedule;
  readonly #waiters: KeyWaiters;
  /** Pending reloads, by the number of the first fetch that begins after the call of `reload`. */
  readonly #reloads = new Map<number, PromiseWithResolvers<void>>();
  #lastError: Error | undefined;

  constructor(options: FetchedKeySetOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#emit = guardListener(options.onEvent, {
      option: "onEvent",
      subject: "an event of the key set",
      code: "KEY_SET_LISTENER_FAILED",
    });
    this.#keys = new PublishedKeys(options.maxAgeMs);
    this.#waiters = new KeyWaiters(this.#clock, this.#emit);
    this.#schedule = new FetchSchedule({
      clock: this.#clock,
      spacingMs: keySetFetchSpacingMs,
      fetch: () => this.#fetch(),
      ended: (outcome) => this.#fetchEnded(outcome),
    });
  }

  get(keyId: string): KeyObject | undefined {
    const key = this.#keys.get(keyId);
    // This runs for every request. Most key sets have no maximum age and need not read the clock.
    if (key === undefined || this.#options.maxAgeMs === Number.POSITIVE_INFINITY) return key;
    const nowMs = this.#clock.now();
    if (this.#keys.shouldBeRenewed(nowMs)) this.#schedule.request("normal");
    return this.#keys.areTooOld(nowMs) ? undefined : key;
  }

  getOrFetch(keyId: string): KeyObject | Promise<KeyObject> {
    const key = this.get(keyId);
    if (key !== undefined) return key;
    // No key set can contain it, so there is nothing to fetch.
    if (!isKeyId(keyId)) throw unknownKey(keyId);
    return this.#wait(keyId);
  }

  reload(): Promise<void> {
    const firstFetch = this.#schedule.begun + 1;
    return (this.#reloads.get(firstFetch) ?? this.#beginReload(firstFetch)).promise;
  }

  #beginReload(firstFetch: number): PromiseWithResolvers<void> {
    const reload = Promise.withResolvers<void>();
    this.#reloads.set(firstFetch, reload);
    this.#schedule.request("high");
    // The schedule's timers do not keep the process alive, but a pending reload must.
    const release = this.#clock.after(keySetReloadMsMax, () => undefined);
    reload.promise.then(release, release);
    return reload;
  }

  #wait(keyId: string): Promise<KeyObject> {
    const schedule = this.#schedule;
    const waiters = this.#waiters;
    const urgency = this.#unknownKeyIds.get(keyId) ? "normal" : "high";
    const request: KeyRequest = { keyId, urgency, firstFetchAfterRequest: schedule.begun + 1 };
    schedule.request(urgency);
    if (!schedule.running && schedule.nextInMs(urgency) > keySetWaitMs) {
      throw waiters.refuse(request, this.#unavailable("nextFetchTooLate", urgency));
    }
    if (!waiters.hasRoomFor(request, { fetchIsBeginning: schedule.isBeginning })) {
      throw waiters.refuse(request, this.#unavailable("queueFull", urgency));
    }
    return waiters.hold(request, () => this.#unavailable("fetchTimedOut", urgency));
  }

  /** Returns whether the keys changed. */
  async #fetch(): Promise<boolean> {
    const beganAtMs = this.#clock.now();
    const keys = await this.#options.download().catch((error: Error) => {
      this.#emit({ type: "fetchFailed", durationMs: this.#clock.now() - beganAtMs, error });
      throw error;
    });
    const changes = this.#keys.replace(keys, beganAtMs);
    const { keyIds } = this.#keys;
    for (const keyId of keyIds) this.#unknownKeyIds.delete(keyId);
    const durationMs = this.#clock.now() - beganAtMs;
    this.#emit({ type: "fetched", durationMs, keyIds, ...changes });
    return changes.added.length + changes.withdrawn.length + changes.replaced.length > 0;
  }

  #fetchEnded(outcome: FetchOutcome): void {
    this.#lastError = outcome.error;
    this.#settleReloads(outcome);
    this.#waiters.answer((waiter) => this.#answerFor(waiter, outcome));
    const urgency = this.#reloads.size > 0 ? "high" : this.#waiters.urgency;
    if (urgency !== undefined) this.#schedule.request(urgency);
  }

  #settleReloads({ number, error }: FetchOutcome): void {
    for (const [firstFetch, reload] of this.#reloads) {
      if (number < firstFetch) continue;
      this.#reloads.delete(firstFetch);
      if (error === undefined) reload.resolve();
      else reload.reject(error);
    }
  }

  #answerFor(waiter: Waiter, { number, error }: FetchOutcome): KeyObject | KeyRefusal | undefined {
    const { keyId, urgency } = waiter;
    const key = this.get(keyId);
    if (key !== undefined) return key;
    if (number < waiter.firstFetchAfterRequest) {
      const nextAtMs = this.#clock.now() + this.#schedule.nextInMs(urgency);
      return nextAtMs <= waiter.deadlineMs
        ? undefined
        : this.#unavailable("nextFetchTooLate", urgency);
    }
    if (error !== undefined) return this.#unavailable("fetchFailed", urgency);
    this.#unknownKeyIds.set(keyId, true);
    return { reason: "unknown", error: unknownKey(keyId) };
  }

  #unavailable(reason: keyof typeof unavailableBecause, urgency: Urgency): KeyRefusal {
    const cause = this.#lastError;
    const lastTime = cause ? `; last time: ${cause.message}` : "";
    const detail = `Cannot get the key set: ${unavailableBecause[reason]}${lastTime}`;
    const retryAfterSeconds = Math.max(1, Math.ceil(this.#schedule.nextInMs(urgency) / 1000));
    const options = { retryAfterSeconds, cause };
    return { reason, error: new TokenRefusedError("KEY_SET_UNAVAILABLE", detail, options) };
  }
}

const unavailableBecause = {
  fetchFailed: "the fetch failed",
  nextFetchTooLate: "the next fetch begins too late to wait for",
  fetchTimedOut: `it did not come within ${keySetWaitMs} ms`,
  queueFull: "too many requests wait for it",
} as const satisfies Record<Exclude<KeyRefusalReason, "unknown">, string>;

function unknownKey(keyId: unknown): TokenRefusedError {
  return new TokenRefusedError("KEY_UNKNOWN", `unverified kid is ${quote(keyId)}`);
}
