import type { AccessToken } from "../access-token.ts";
import { denylistEntriesMax } from "../limits.ts";
import { TokenRefusedError } from "../token-refused-error.ts";
import { refuseUnknownOptions } from "../unknown-options.ts";
import { DeniedTokens } from "./denied-tokens.ts";
import type { Denylist } from "./denylist.ts";
import { checkEntry, type DenylistEntry } from "./entry.ts";

export interface MemoryDenylistOptions {
  /** Unix time in milliseconds. Default: `Date.now`. */
  now?: () => number;
}

/**
 * A denylist of this process alone, which ends with it: for tests, and for programs that hear of
 * revocations in a way of their own. `add` rejects with an Error once a million entries are held
 * that have not expired. Throws a TypeError for unknown options.
 */
export function memoryDenylist(options: MemoryDenylistOptions = {}): Denylist {
  return createMemoryDenylist(options, denylistEntriesMax);
}

/** The same with a bound of its own, for tests. */
export function createMemoryDenylist(options: MemoryDenylistOptions, entriesMax: number): Denylist {
  const { now = Date.now, ...others } = options;
  refuseUnknownOptions("Cannot make a denylist", others);
  const denied = new DeniedTokens();
  return Object.freeze({
    check: (token: AccessToken, keyId: string) => refuseDenied(denied, token, keyId),
    async add(entry: DenylistEntry) {
      checkEntry(entry);
      if (denied.size >= entriesMax) denied.removeExpired(now() / 1000);
      if (denied.size >= entriesMax) {
        throw new Error(`Cannot revoke: the denylist holds ${entriesMax} entries already`);
      }
      denied.add(entry);
    },
  });
}

/** Throws TokenRefusedError: TOKEN_REVOKED. */
export function refuseDenied(denied: DeniedTokens, token: AccessToken, keyId: string): void {
  const kind = denied.find(token, keyId);
  if (kind !== undefined) {
    throw new TokenRefusedError("TOKEN_REVOKED", `the denylist has an entry for its ${kind}`);
  }
}
