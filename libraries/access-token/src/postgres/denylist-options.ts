import {
  denylistLagMsDefault,
  denylistPollMsDefault,
  denylistPollMsMax,
  denylistPollMsMin,
} from "../limits.ts";
import { refuseUnknownOptions } from "../options.ts";
import type { PostgresClient, PostgresQueryable } from "./connection.ts";

/** The connections of a denylist, and how far it may be behind. */
export interface PostgresDenylistOptions {
  /**
   * Makes a new client for the connection that reads the denylist:
   * `() => new pg.Client({ connectionString })`. It must lead to the primary. Transaction pooling
   * delivers no notifications; new entries are then found by polling.
   */
  createClient: () => PostgresClient;
  /** Used by `add`, for example the program's `pg.Pool`. */
  pool: PostgresQueryable;
  /**
   * How old the last read may be, in milliseconds: at least two poll intervals, at most a day.
   * Default: 10,000.
   */
  lagMaxMs?: number;
  /**
   * While the lag is over its limit, or before the first load: `refuse` (default) refuses tokens
   * without a known entry with DENYLIST_UNAVAILABLE, `serve` accepts them.
   */
  whenBehind?: "refuse" | "serve";
  /** Milliseconds between reads without notifications: 100 to 60,000. Default: 1,000. */
  pollIntervalMs?: number;
  /**
   * Called synchronously for each event, for metrics and logs. If it throws, or returns a promise
   * that rejects, the process is warned once.
   */
  onEvent?: (event: DenylistEvent) => void;
  /** Unix time in milliseconds. Default: `Date.now`. */
  now?: () => number;
}

export type CheckedOptions = Required<Omit<PostgresDenylistOptions, "onEvent">> & {
  readonly onEvent: PostgresDenylistOptions["onEvent"] | undefined;
};

/** Fills in the defaults. Throws a TypeError that says which option is wrong. */
export function checkOptions(options: PostgresDenylistOptions): CheckedOptions {
  const {
    createClient,
    pool,
    pollIntervalMs = denylistPollMsDefault,
    lagMaxMs = Math.max(denylistLagMsDefault, 2 * pollIntervalMs),
    whenBehind = "refuse",
    onEvent,
    now = Date.now,
    ...others
  } = options;
  refuseUnknownOptions("Cannot make a denylist", others);
  check("createClient", "a function", typeof createClient === "function");
  check("pool", "an object with query()", typeof pool?.query === "function");
  const isInterval = pollIntervalMs >= denylistPollMsMin && pollIntervalMs <= denylistPollMsMax;
  check("pollIntervalMs", `from ${denylistPollMsMin} to ${denylistPollMsMax}`, isInterval);
  const isLag = lagMaxMs >= 2 * pollIntervalMs && lagMaxMs <= lagMsMax;
  check("lagMaxMs", `from twice pollIntervalMs to ${lagMsMax}`, isLag);
  check("whenBehind", "refuse or serve", whenBehind === "refuse" || whenBehind === "serve");
  check("onEvent", "a function", onEvent === undefined || typeof onEvent === "function");
  check("now", "a function", typeof now === "function");
  return { createClient, pool, pollIntervalMs, lagMaxMs, whenBehind, onEvent, now };
}

/** A day. The longest timer of Node is 24 days. */
const lagMsMax = 24 * 60 * 60 * 1000;

function check(name: string, needed: string, holds: boolean): void {
  if (!holds) throw new TypeError(`Cannot make a denylist: option ${name} must be ${needed}`);
}

/** An event of a denylist, for dashboards and alarms. */
export type DenylistEvent =
  | DenylistLoaded
  | DenylistRead
  | DenylistFailed
  | DenylistBehind
  | DenylistCurrent;

/** A new connection has read all entries. */
export interface DenylistLoaded {
  readonly type: "loaded";
  readonly entries: number;
  readonly durationMs: number;
}

/** New entries have been read, often none. */
export interface DenylistRead {
  readonly type: "read";
  readonly entries: number;
  readonly durationMs: number;
}

/** The connection was closed; a new one will be tried. Known entries stay in force. */
export interface DenylistFailed {
  readonly type: "failed";
  readonly error: Error;
}

/** The lag has grown over its limit: `whenBehind` applies. */
export interface DenylistBehind {
  readonly type: "behind";
  readonly lagMs: number;
  /** Why the last read failed; undefined if it has not ended yet. */
  readonly error: Error | undefined;
}

/** The lag is within its limit, after the first load or after having been behind. */
export interface DenylistCurrent {
  readonly type: "current";
  readonly lagMs: number;
}
