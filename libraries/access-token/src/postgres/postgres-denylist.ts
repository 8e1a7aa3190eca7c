import type { AccessToken } from "../access-token.ts";
import { type Clock, steadyClock } from "../clock.ts";
import { checkEntry, type Denylist, type DenylistEntry } from "../denylist/denylist.ts";
import { refuseDenied } from "../denylist/memory-denylist.ts";
import { denylistAddTimeoutMs, denylistRetryMsMax } from "../limits.ts";
import { guardListener } from "../options.ts";
import { TokenRefusedError } from "../token-refused-error.ts";
import {
  type CheckedOptions,
  checkOptions,
  type DenylistEvent,
  type PostgresDenylistOptions,
} from "./denylist-options.ts";
import { DenylistPoller } from "./denylist-poller.ts";
import { DenylistReplica, type EntriesRead } from "./denylist-replica.ts";
import { addDenylistEntry } from "./denylist-table.ts";

/** A denylist that follows a table in PostgreSQL until it is closed. */
export interface PostgresDenylist extends Denylist, AsyncDisposable {
  /**
   * Every entry that was committed more than this many milliseconds ago is in force. Infinite
   * before the first load and after `close`.
   */
  readonly lagMs: number;
  /**
   * Resolves as soon as the lag is within its limit: await it before you report readiness. Rejects
   * with an Error if the denylist is closed first.
   */
  whenCurrent(): Promise<void>;
  /** Ends the connection, which keeps the process alive until then. Never rejects. */
  close(): Promise<void>;
}

/**
 * Reads the denylist in PostgreSQL into memory and keeps it current. `prepareDenylist` must have
 * created the table. An outage throws no error: it shows in `lagMs` and in events, and the
 * connection is retried.
 *
 * `add` rejects if PostgreSQL does not answer within 5 s, with an error whose code is `ETIMEDOUT`.
 * The entry may then be stored or not; it can be added again.
 *
 * Throws a TypeError for bad options.
 */
export function postgresDenylist(options: PostgresDenylistOptions): PostgresDenylist {
  return createPostgresDenylist(options, steadyClock);
}

/** The same with another clock, for tests. */
export function createPostgresDenylist(
  options: PostgresDenylistOptions,
  clock: Clock,
): PostgresDenylist {
  const denylist = new ReplicatedDenylist(checkOptions(options), clock);
  return Object.freeze({
    check: (token: AccessToken, keyId: string) => denylist.check(token, keyId),
    add: (entry: DenylistEntry) => denylist.add(entry),
    get lagMs() {
      return denylist.lagMs;
    },
    whenCurrent: () => denylist.whenCurrent(),
    close: () => denylist.close(),
    [Symbol.asyncDispose]: () => denylist.close(),
  });
}

class ReplicatedDenylist {
  readonly #options: CheckedOptions;
  readonly #clock: Clock;
  readonly #emit: (event: DenylistEvent) => void;
  readonly #entries: DenylistReplica;
  readonly #poller: DenylistPoller;
  readonly #waiters = new Set<PromiseWithResolvers<void>>();
  #readBeganAtMs = Number.NEGATIVE_INFINITY;
  #isCurrent = false;
  #isClosed = false;
  #lastError: Error | undefined;
  #stopAlarm: (() => void) | undefined;

  constructor(options: CheckedOptions, clock: Clock) {
    const { createClient, pollIntervalMs, now, onEvent } = options;
    this.#options = options;
    this.#clock = clock;
    this.#emit = guardListener(onEvent, {
      option: "onEvent",
      subject: "an event of the denylist",
      code: "DENYLIST_LISTENER_FAILED",
    });
    this.#entries = new DenylistReplica(now);
    this.#poller = new DenylistPoller({
      createClient,
      clock,
      pollIntervalMs,
      entries: this.#entries,
      onRead: (read) => this.#wasRead(read),
      onFailure: (error) => {
        this.#lastError = error;
        this.#emit({ type: "failed", error });
      },
    });
  }

  get lagMs(): number {
    return this.#clock.now() - this.#readBeganAtMs;
  }

  check(token: AccessToken, keyId: string): void {
    // However old the last read is: entries are never withdrawn.
    refuseDenied(this.#entries.denied, token, keyId);
    const { whenBehind, lagMaxMs } = this.#options;
    if (whenBehind === "serve" || this.lagMs <= lagMaxMs) return;
    const isUnread = this.lagMs === Number.POSITIVE_INFINITY;
    // The same in each refusal, so that logs can recognise an outage: the lag itself would change.
    const state = isUnread ? "was never read" : `is more than ${lagMaxMs} ms behind`;
    throw new TokenRefusedError("DENYLIST_UNAVAILABLE", `the denylist ${state}`, {
      retryAfterSeconds: Math.ceil(denylistRetryMsMax / 1000),
      cause: this.#lastError,
    });
  }

  async add(entry: DenylistEntry): Promise<void> {
    checkEntry(entry);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stopTimer = this.#clock.after(denylistAddTimeoutMs, () => reject(noAnswer()));
    addDenylistEntry(this.#options.pool, entry).then(resolve, reject);
    await promise.finally(stopTimer);
    this.#entries.add(entry);
  }

  async whenCurrent(): Promise<void> {
    if (this.#isCurrent) return;
    if (this.#isClosed) throw closedError();
    const waiter = Promise.withResolvers<void>();
    this.#waiters.add(waiter);
    await waiter.promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#poller.close();
    this.#stopAlarm?.();
    this.#isCurrent = false;
    this.#readBeganAtMs = Number.NEGATIVE_INFINITY;
    for (const { reject } of this.#waiters) reject(closedError());
    this.#waiters.clear();
  }

  #wasRead({ isWhole, entries, beganAtMs }: EntriesRead & { beganAtMs: number }): void {
    const durationMs = this.#clock.now() - beganAtMs;
    this.#readBeganAtMs = beganAtMs;
    this.#lastError = undefined;
    this.#emit({ type: isWhole ? "loaded" : "read", entries, durationMs });
    this.#setAlarm();
  }

  #setAlarm(): void {
    this.#stopAlarm?.();
    const leftMs = this.#options.lagMaxMs - this.lagMs;
    if (leftMs < 0) {
      this.#fellBehind();
      return;
    }
    this.#stopAlarm = this.#clock.after(leftMs, () => this.#fellBehind());
    if (this.#isCurrent) return;
    this.#isCurrent = true;
    this.#emit({ type: "current", lagMs: this.lagMs });
    for (const { resolve } of this.#waiters) resolve();
    this.#waiters.clear();
  }

  #fellBehind(): void {
    if (!this.#isCurrent) return;
    this.#isCurrent = false;
    this.#emit({ type: "behind", lagMs: this.lagMs, error: this.#lastError });
  }
}

/** With the code of a connection that times out, so that programs recognise an outage. */
function noAnswer(): Error {
  const message = `Cannot revoke: PostgreSQL gave no answer within ${denylistAddTimeoutMs} ms`;
  return Object.assign(new Error(message), { code: "ETIMEDOUT" });
}

function closedError(): Error {
  return new Error("Cannot wait for the denylist: it is closed");
}
