import type { AccessToken } from "../access-token.ts";
import { clockToleranceSecondsMax, denylistEntriesMax } from "../limits.ts";
import { refuseUnknownOptions } from "../options.ts";
import { TokenRefusedError } from "../token-refused-error.ts";
import { checkEntry, type Denylist, type DenylistEntry } from "./denylist.ts";

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

/**
 * The live entries of a denylist, in the form in which a token is looked up in them.
 */

interface Denial {
  /** Only tokens issued before are denied; infinite for entries that deny all. */
  readonly issuedBefore: number;
  readonly expiresAt: number;
}

export class DeniedTokens {
  readonly #denials = {
    jti: new Map<string, Denial>(),
    sid: new Map<string, Denial>(),
    kid: new Map<string, Denial>(),
    sub: new Map<string, Denial>(),
  };

  get size(): number {
    const { jti, sid, kid, sub } = this.#denials;
    return jti.size + sid.size + kid.size + sub.size;
  }

  /** Adding an entry twice, or one that says less than another, changes nothing. */
  add(entry: DenylistEntry): void {
    const denials = this.#denials[entry.kind];
    const known = denials.get(entry.value);
    const issuedBefore = entry.kind === "sub" ? entry.issuedBefore : Number.POSITIVE_INFINITY;
    const { expiresAt = Number.POSITIVE_INFINITY } = entry;
    denials.set(entry.value, {
      issuedBefore: Math.max(issuedBefore, known?.issuedBefore ?? 0),
      expiresAt: Math.max(expiresAt, known?.expiresAt ?? 0),
    });
  }

  /** The kind of an entry that denies the token. */
  find(token: AccessToken, keyId: string): DenylistEntry["kind"] | undefined {
    const { jti, sid, kid, sub } = this.#denials;
    if (jti.has(token.tokenId)) return "jti";
    if (token.sessionId !== undefined && sid.has(token.sessionId)) return "sid";
    if (kid.has(keyId)) return "kid";
    const denial = sub.get(token.subject);
    return denial !== undefined && token.issuedAt < denial.issuedBefore ? "sub" : undefined;
  }

  removeExpired(nowSeconds: number): void {
    for (const denials of Object.values(this.#denials)) {
      for (const [value, { expiresAt }] of denials) {
        // A token may be accepted for some time after it has expired, by clocks that are behind.
        if (expiresAt + expiryGraceSeconds < nowSeconds) denials.delete(value);
      }
    }
  }
}

/** The tolerance that validators may have, and as much for a server whose own clock is behind. */
export const expiryGraceSeconds = 2 * clockToleranceSecondsMax;
