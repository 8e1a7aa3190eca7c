import {
  denylistLagMsDefault,
  denylistPollMsDefault,
  denylistPollMsMax,
  denylistPollMsMin,
} from "../limits.ts";
import { refuseUnknownOptions } from "../options.ts";
import type { PostgresClient, PostgresQueryable } from "./connection.ts";

export interface PostgresDenylistOptions {
  /**
   * Makes a client for the one connection by which the denylist is followed, each time anew:
   * `() => new pg.Client({ connectionString })`. It must lead to the primary. Notifications do not
   * come through a pooler that shares connections between transactions; then all is found by
   * asking.
   */
  createClient: () => PostgresClient;
  /** What `add` writes through, for example the program's `pg.Pool`. */
  pool: PostgresQueryable;
  /**
   * How old the last read may be, in milliseconds: at least two poll intervals, at most a day.
   * Default: 10,000.
   */
  lagMaxMs?: number;
  /**
   * What to do with tokens that no entry is known for while the lag is over its limit, also before
   * the first load. `refuse` (default): with DENYLIST_UNAVAILABLE. `serve`: accept them.
   */
  whenBehind?: "refuse" | "serve";
  /** From one read to the next when nothing is notified: 100 to 60,000. Default: 1,000. */
  pollIntervalMs?: number;
  /** Told what goes on. Its failing is reported as a process warning, once. */
  onEvent?: (event: DenylistEvent) => void;
  /** Unix time in milliseconds, by which entries expire. Default: `Date.now`. */
  now?: () => number;
}

export type CheckedOptions = Required<Omit<PostgresDenylistOptions, "onEvent">> & {
  readonly onEvent: PostgresDenylistOptions["onEvent"] | undefined;
};

/** Fills in what is left out. Throws a TypeError that says which option is wrong. */
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
  check("pool", "what answers query()", typeof pool?.query === "function");
  const isInterval = pollIntervalMs >= denylistPollMsMin && pollIntervalMs <= denylistPollMsMax;
  check("pollIntervalMs", `from ${denylistPollMsMin} to ${denylistPollMsMax}`, isInterval);
  const isLag = lagMaxMs >= 2 * pollIntervalMs && lagMaxMs <= lagMsMax;
  check("lagMaxMs", `from twice pollIntervalMs to ${lagMsMax}`, isLag);
  check("whenBehind", "refuse or serve", whenBehind === "refuse" || whenBehind === "serve");
  check("onEvent", "a function", onEvent === undefined || typeof onEvent === "function");
  check("now", "a function", typeof now === "function");
  return { createClient, pool, pollIntervalMs, lagMaxMs, whenBehind, onEvent, now };
}

/** A day. Also, timers do not take more than 24 of them. */
const lagMsMax = 24 * 60 * 60 * 1000;

function check(name: string, needed: string, holds: boolean): void {
  if (!holds) throw new TypeError(`Cannot make a denylist: option ${name} must be ${needed}`);
}

/** What a denylist tells of itself, for dashboards and alarms. */
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

/** What had come since the last time has been read: every second, usually nothing. */
export interface DenylistRead {
  readonly type: "read";
  readonly entries: number;
  readonly durationMs: number;
}

/** The connection was given up; another will be tried. The entries that are held stay in force. */
export interface DenylistFailed {
  readonly type: "failed";
  readonly error: Error;
}

/** The lag has grown over its limit. What follows from that is `whenBehind`. */
export interface DenylistBehind {
  readonly type: "behind";
  readonly lagMs: number;
}

/** The lag is within its limit: after the first load, or again. */
export interface DenylistCurrent {
  readonly type: "current";
  readonly lagMs: number;
}
