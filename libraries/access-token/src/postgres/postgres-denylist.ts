import type { AccessToken } from "../access-token.ts";
import { type Clock, steadyClock } from "../clock.ts";
import type { Denylist } from "../denylist/denylist.ts";
import type { DenylistEntry } from "../denylist/entry.ts";
import { checkOptions, type PostgresDenylistOptions } from "./denylist-options.ts";
import { FollowingDenylist } from "./following-denylist.ts";

export interface PostgresDenylist extends Denylist, AsyncDisposable {
  /**
   * Every entry that was committed at least so many milliseconds ago is in force. Infinite before
   * the first load and after `close`.
   */
  readonly lagMs: number;
  /**
   * Resolves as soon as the lag is within its limit: wait for it before telling that the program is
   * ready. Rejects with an Error when the denylist is closed before.
   */
  whenCurrent(): Promise<void>;
  /** Ends the connection. The process is kept alive until then. Never rejects. */
  close(): Promise<void>;
}

/**
 * A denylist in PostgreSQL, held in memory and followed from now on. The table must have been made
 * by `prepareDenylist`. An outage is not an error here: it shows in `lagMs` and in events, and ends
 * by itself.
 *
 * `add` rejects when the entry could not be stored within 5 s; it may be stored all the same, and
 * can be added again.
 *
 * Throws a TypeError for bad options.
 */
export function postgresDenylist(options: PostgresDenylistOptions): PostgresDenylist {
  return createPostgresDenylist(options, steadyClock);
}

/** The same with time of its own, for tests. */
export function createPostgresDenylist(
  options: PostgresDenylistOptions,
  clock: Clock,
): PostgresDenylist {
  const denylist = new FollowingDenylist(checkOptions(options), clock);
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
