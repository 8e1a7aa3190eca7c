import type { AccessToken } from "../access-token.ts";
import { type Clock, steadyClock } from "../clock.ts";
import { checkEntry, type Denylist, type DenylistEntry } from "../denylist/denylist.ts";
import { DeniedTokens, expiryGraceSeconds, refuseDenied } from "../denylist/memory-denylist.ts";
import { denylistEntriesMax, denylistPollMs, denylistSweepSeconds } from "../limits.ts";
import { guardListener } from "../options.ts";
import { TokenRefusedError } from "../token-refused-error.ts";
import {
  type CheckedOptions,
  checkOptions,
  type DenylistEvent,
  type PostgresDenylistOptions,
} from "./denylist-options.ts";
import { addDenylistEntry } from "./denylist-table.ts";
import { readEntries } from "./read-entries.ts";

/** A denylist that follows a table in PostgreSQL until it is closed. */
export interface PostgresDenylist extends Denylist, AsyncDisposable {
  /**
   * Every entry that was committed more than this many milliseconds ago is in force. Infinite
   * before the first read and after `close`.
   */
  readonly lagMs: number;
  /**
   * Resolves as soon as the lag is within its limit: await it before you report readiness. Rejects
   * with an Error if the denylist is closed first.
   */
  whenCurrent(): Promise<void>;
  /** Stops reading, which keeps the process alive until then. Never rejects. Waits for a query. */
  close(): Promise<void>;
}

/**
 * Reads the denylist in PostgreSQL into memory, and reads what is new every second.
 * `prepareDenylist` must have created the table. An outage throws no error: it shows in `lagMs` and
 * in events.
 *
 * `add` rejects if the pool does. If PostgreSQL has not answered, the entry may be stored or not.
 * It can be added again.
 *
 * Throws a TypeError for bad options.
 */
export function postgresDenylist(options: PostgresDenylistOptions): PostgresDenylist {
  return createPostgresDenylist(options, steadyClock);
}

/** The same with another clock and limit, for tests. */
export function createPostgresDenylist(
  options: PostgresDenylistOptions,
  clock: Clock,
  entriesMax: number = denylistEntriesMax,
): PostgresDenylist {
  return Object.freeze(new FollowedDenylist(checkOptions(options), clock, entriesMax));
}

class FollowedDenylist implements PostgresDenylist {
  readonly #options: CheckedOptions;
  readonly #clock: Clock;
  readonly #entriesMax: number;
  readonly #emit: (event: DenylistEvent) => void;
  readonly #denied = new DeniedTokens();
  readonly #ended: Promise<void>;
  /** When the last complete read began, by the clock of the database. */
  #readAt: string | undefined;
  #readBeganAtMs = Number.NEGATIVE_INFINITY;
  #sweptAtSeconds = 0;
  #current = Promise.withResolvers<void>();
  #isCurrent = false;
  #isClosed = false;
  #lastError: Error | undefined;
  #wake: () => void = () => {};

  constructor(options: CheckedOptions, clock: Clock, entriesMax: number) {
    this.#options = options;
    this.#clock = clock;
    this.#entriesMax = entriesMax;
    this.#emit = guardListener(options.onEvent, "onEvent of a denylist");
    this.#ended = this.#follow();
  }

  get lagMs(): number {
    return this.#clock.now() - this.#readBeganAtMs;
  }

  check(token: AccessToken, keyId: string): void {
    // However old the last read is: entries are never withdrawn.
    refuseDenied(this.#denied, token, keyId);
    const { whenBehind, lagMaxMs } = this.#options;
    if (whenBehind === "serve" || this.lagMs <= lagMaxMs) return;
    const isUnread = this.lagMs === Number.POSITIVE_INFINITY;
    // The same in each refusal, so that logs can recognise an outage: the lag itself would change.
    const state = isUnread ? "was never read" : `is more than ${lagMaxMs} ms behind`;
    throw new TokenRefusedError("DENYLIST_UNAVAILABLE", `the denylist ${state}`, {
      retryAfterSeconds: Math.ceil((2 * denylistPollMs) / 1000),
      cause: this.#lastError,
    });
  }

  async add(entry: DenylistEntry): Promise<void> {
    checkEntry(entry);
    await addDenylistEntry(this.#options.pool, entry);
    this.#denied.add(entry);
  }

  async whenCurrent(): Promise<void> {
    if (this.#isClosed) throw closedError();
    if (!this.#isCurrent) await this.#current.promise;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#ended;
    this.#isCurrent = false;
    this.#readBeganAtMs = Number.NEGATIVE_INFINITY;
    this.#current.promise.catch(() => undefined);
    this.#current.reject(closedError());
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      const beganAtMs = this.#clock.now();
      const error = await this.#read().then(
        () => undefined,
        (reason: Error) => reason,
      );
      if (this.#isClosed) return;
      if (error === undefined) this.#wasRead(beganAtMs);
      else this.#emit({ type: "failed", error });
      this.#lastError = error;
      this.#compareLag();
      await this.#sleepUntil(beganAtMs + denylistPollMs);
    }
  }

  #wasRead(beganAtMs: number): void {
    const durationMs = this.#clock.now() - beganAtMs;
    this.#readBeganAtMs = beganAtMs;
    this.#emit({ type: "read", entries: this.#denied.size, durationMs });
  }

  #compareLag(): void {
    const { lagMs } = this;
    const isCurrent = lagMs <= this.#options.lagMaxMs;
    if (isCurrent === this.#isCurrent) return;
    this.#isCurrent = isCurrent;
    if (isCurrent) {
      this.#emit({ type: "current", lagMs });
      this.#current.resolve();
    } else {
      this.#emit({ type: "behind", lagMs, error: this.#lastError });
      this.#current = Promise.withResolvers<void>();
    }
  }

  /** Reads every entry that was committed before. If it rejects, no known entry is lost. */
  async #read(): Promise<void> {
    const { pool, now } = this.#options;
    const nowSeconds = now() / 1000;
    if (nowSeconds >= this.#sweptAtSeconds + denylistSweepSeconds) {
      this.#sweptAtSeconds = nowSeconds;
      this.#denied.removeExpired(nowSeconds);
    }
    const since = this.#readAt;
    const expiresFrom = Math.floor(nowSeconds) - expiryGraceSeconds;
    let firstReadAt: string | undefined;
    for await (const { readAt, entries } of readEntries(pool, { since, expiresFrom })) {
      firstReadAt ??= readAt;
      for (const entry of entries) this.#hold(entry);
      if (this.#isClosed) return;
    }
    this.#readAt = firstReadAt;
  }

  #hold(entry: DenylistEntry): void {
    this.#denied.add(entry);
    if (this.#denied.size <= this.#entriesMax) return;
    this.#denied.removeExpired(this.#options.now() / 1000);
    if (this.#denied.size <= this.#entriesMax) return;
    throw new Error(`Cannot hold the denylist: it has more than ${this.#entriesMax} entries`);
  }

  async #sleepUntil(timeMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const stopTimer = this.#clock.after(Math.max(0, timeMs - this.#clock.now()), resolve);
    await promise;
    stopTimer();
  }
}

function closedError(): Error {
  return new Error("Cannot wait for the denylist: it is closed");
}
