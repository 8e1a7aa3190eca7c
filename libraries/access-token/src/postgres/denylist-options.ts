import { denylistLagMsDefault, denylistLagMsMax, denylistLagMsMin } from "../limits.ts";
import { refuseUnknownOptions } from "../options.ts";
import type { PostgresQueryable } from "./denylist-table.ts";

/** The database of a denylist, and how far it may be behind. */
export interface PostgresDenylistOptions {
  /**
   * Reads and writes the denylist, for example the program's `pg.Pool`. It must lead to the
   * primary. Give it a `query_timeout` of a few seconds: while an answer does not come, the
   * denylist is not read again.
   */
  pool: PostgresQueryable;
  /** How old the last read may be, in milliseconds: 2,000 to a day. Default: 10,000. */
  lagMaxMs?: number;
  /**
   * While the lag is over its limit, or before the first read: `refuse` (default) refuses tokens
   * without a known entry with DENYLIST_UNAVAILABLE, `serve` accepts them.
   */
  whenBehind?: "refuse" | "serve";
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
    pool,
    lagMaxMs = denylistLagMsDefault,
    whenBehind = "refuse",
    onEvent,
    now = Date.now,
    ...others
  } = options;
  refuseUnknownOptions("Cannot make a denylist", others);
  check("pool", "an object with query()", typeof pool?.query === "function");
  const isLag = lagMaxMs >= denylistLagMsMin && lagMaxMs <= denylistLagMsMax;
  check("lagMaxMs", `from ${denylistLagMsMin} to ${denylistLagMsMax}`, isLag);
  check("whenBehind", "refuse or serve", whenBehind === "refuse" || whenBehind === "serve");
  check("onEvent", "a function", onEvent === undefined || typeof onEvent === "function");
  check("now", "a function", typeof now === "function");
  return { pool, lagMaxMs, whenBehind, onEvent, now };
}

function check(name: string, needed: string, holds: boolean): void {
  if (!holds) throw new TypeError(`Cannot make a denylist: option ${name} must be ${needed}`);
}

/**
 * An event of a denylist, for dashboards and alarms:
 *
 * - `read`: it was read; `entries` are held in memory now
 * - `failed`: it could not be read, and will be asked for again; known entries stay in force
 * - `behind`: the lag has grown over its limit, and `whenBehind` applies; `error` is of the last
 *   read that failed
 * - `current`: the lag is within its limit, after the first read or after having been behind
 */
export type DenylistEvent =
  | { readonly type: "read"; readonly entries: number; readonly durationMs: number }
  | { readonly type: "failed"; readonly error: Error }
  | { readonly type: "behind"; readonly lagMs: number; readonly error: Error | undefined }
  | { readonly type: "current"; readonly lagMs: number };
