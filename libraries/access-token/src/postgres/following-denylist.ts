import type { AccessToken } from "../access-token.ts";
import type { Clock } from "../clock.ts";
import { checkEntry, type DenylistEntry } from "../denylist/entry.ts";
import { refuseDenied } from "../denylist/memory-denylist.ts";
import { guardListener } from "../guard-listener.ts";
import { denylistAddMs, denylistRetryMsMax } from "../limits.ts";
import { TokenRefusedError } from "../token-refused-error.ts";
import { addDenylistEntry } from "./add-denylist-entry.ts";
import type { DenylistEvent } from "./denylist-event.ts";
import type { CheckedOptions } from "./denylist-options.ts";
import { type EntriesRead, FollowedEntries } from "./followed-entries.ts";
import { TableFollower } from "./table-follower.ts";

/** What answers requests: the entries that are held, as long as they are fresh enough. */
export class FollowingDenylist {
  readonly #options: CheckedOptions;
  readonly #clock: Clock;
  readonly #tell: (event: DenylistEvent) => void;
  readonly #entries: FollowedEntries;
  readonly #follower: TableFollower;
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
    this.#tell = guardListener(onEvent, {
      name: "onEvent",
      what: "the denylist",
      code: "DENYLIST_LISTENER_FAILED",
    });
    this.#entries = new FollowedEntries(now);
    this.#follower = new TableFollower({
      createClient,
      clock,
      pollIntervalMs,
      entries: this.#entries,
      onRead: (read) => this.#wasRead(read),
      onFailure: (error) => {
        this.#lastError = error;
        this.#tell({ type: "failed", error });
      },
    });
  }

  get lagMs(): number {
    return this.#clock.now() - this.#readBeganAtMs;
  }

  check(token: AccessToken, keyId: string): void {
    // However old it is: an entry that is known is not taken back.
    refuseDenied(this.#entries.denied, token, keyId);
    const { whenBehind, lagMaxMs } = this.#options;
    if (whenBehind === "serve" || this.lagMs <= lagMaxMs) return;
    const lag = `${Math.round(this.lagMs)} ms behind, need at most ${lagMaxMs}`;
    throw new TokenRefusedError("DENYLIST_UNAVAILABLE", `the denylist is ${lag}`, {
      retryAfterSeconds: Math.ceil(denylistRetryMsMax / 1000),
      cause: this.#lastError,
    });
  }

  async add(entry: DenylistEntry): Promise<void> {
    checkEntry(entry);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stopTimer = this.#clock.after(denylistAddMs, () =>
      reject(new Error(`Cannot revoke: PostgreSQL gave no answer within ${denylistAddMs} ms`)),
    );
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
    await this.#follower.close();
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
    this.#tell({ type: isWhole ? "loaded" : "read", entries, durationMs });
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
    this.#tell({ type: "current", lagMs: this.lagMs });
    for (const { resolve } of this.#waiters) resolve();
    this.#waiters.clear();
  }

  #fellBehind(): void {
    if (!this.#isCurrent) return;
    this.#isCurrent = false;
    this.#tell({ type: "behind", lagMs: this.lagMs });
  }
}

function closedError(): Error {
  return new Error("Cannot wait for the denylist: it is closed");
}
