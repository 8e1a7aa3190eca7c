import type { AccessToken } from "../access-token.ts";
import { clockToleranceSecondsMax, denylistEntriesMax } from "../limits.ts";
import { refuseUnknownOptions } from "../options.ts";
import { TokenRefusedError } from "../token-refused-error.ts";
import { checkEntry, type Denylist, type DenylistEntry } from "./denylist.ts";

/** Only tests need to replace the clock. */
export interface MemoryDenylistOptions {
  /** Unix time in milliseconds. Default: `Date.now`. */
  now?: () => number;
}

/**
 * A denylist in the memory of one process: for tests, and for programs that receive revocations in
 * another way. `add` rejects with an Error if it already has a million entries that have not
 * expired. Throws a TypeError for unknown options.
 */
export function memoryDenylist(options: MemoryDenylistOptions = {}): Denylist {
  return createMemoryDenylist(options, denylistEntriesMax);
}

/** The same with another limit, for tests. */
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

interface Denial {
  /** Only tokens issued before this time are denied; infinite for kinds without such a time. */
  readonly issuedBefore: number;
  readonly expiresAt: number;
}

/** The entries of a denylist in memory, indexed for the lookup of a token. */
export class DeniedTokens {
  readonly #denials = {
    jti: new Map<string, Denial>(),
    sid: new Map<string, Denial>(),
    kid: new Map<string, Denial>(),
    sub: new Map<string, Denial>(),
    client: new Map<string, Denial>(),
  };

  get size(): number {
    const { jti, sid, kid, sub, client } = this.#denials;
    return jti.size + sid.size + kid.size + sub.size + client.size;
  }

  /** Merges the entry with one of the same value: the later times win. */
  add(entry: DenylistEntry): void {
    const denials = this.#denials[entry.kind];
    const key = entry.kind === "client" ? clientKey(entry.value, entry.subject) : entry.value;
    const known = denials.get(key);
    const issuedBefore = "issuedBefore" in entry ? entry.issuedBefore : Number.POSITIVE_INFINITY;
    const { expiresAt = Number.POSITIVE_INFINITY } = entry;
    denials.set(key, {
      issuedBefore: Math.max(issuedBefore, known?.issuedBefore ?? 0),
      expiresAt: Math.max(expiresAt, known?.expiresAt ?? 0),
    });
  }

  /** Returns the kind of an entry that denies the token, or undefined. */
  find(token: AccessToken, keyId: string): DenylistEntry["kind"] | undefined {
    const { jti, sid, kid, sub, client } = this.#denials;
    if (jti.has(token.tokenId)) return "jti";
    if (token.sessionId !== undefined && sid.has(token.sessionId)) return "sid";
    if (kid.has(keyId)) return "kid";
    if (wasIssuedBefore(token, sub.get(token.subject))) return "sub";
    if (client.size === 0) return undefined;
    const { clientId, subject } = token;
    const denials = [client.get(clientKey(clientId)), client.get(clientKey(clientId, subject))];
    return denials.some((denial) => wasIssuedBefore(token, denial)) ? "client" : undefined;
  }

  removeExpired(nowSeconds: number): void {
    for (const denials of Object.values(this.#denials)) {
      for (const [value, { expiresAt }] of denials) {
        // The tolerance and slow clocks can make a token valid for some time after it has expired.
        if (expiresAt + expiryGraceSeconds < nowSeconds) denials.delete(value);
      }
    }
  }
}

/** Unambiguous, whatever the two texts contain. */
function clientKey(clientId: string, subject = ""): string {
  return `${clientId.length} ${clientId}${subject}`;
}

function wasIssuedBefore(token: AccessToken, denial: Denial | undefined): boolean {
  return denial !== undefined && token.issuedAt < denial.issuedBefore;
}

/** The largest clock tolerance, twice: the second is for a server whose clock is slow. */
export const expiryGraceSeconds = 2 * clockToleranceSecondsMax;
