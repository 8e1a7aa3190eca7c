/**
 * The live entries of a denylist, in the form in which a token is looked up in them.
 */
import type { AccessToken } from "../access-token.ts";
import { clockToleranceSecondsMax } from "../limits.ts";
import type { DenylistEntry } from "./entry.ts";

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
