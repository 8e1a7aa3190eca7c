/**
 * Caches verified tokens and headers, so that repeated ones need not be verified again.
 *
 * An entry is valid as long as the key set has the same key object. Times and revocation are never
 * cached. Only verified tokens are added, so only holders of valid tokens can fill the caches,
 * whose size is limited.
 */
import type { AccessToken, VerifiedToken } from "./access-token.ts";
import {
  cacheBytesDefault,
  cacheBytesMin,
  cacheEntriesDefault,
  cacheEntriesMin,
  headersKeptMax,
} from "./limits.ts";
import { refuseUnknownOptions } from "./options.ts";
import type { JsonValue } from "./parse-json.ts";
import { checkHeader } from "./parse-token.ts";

export interface CacheOptions {
  /** Maximum number of tokens held: 2 or more. Default: 10,000. */
  entriesMax?: number;
  /** Approximate maximum of the memory that they use: 64 KiB or more. Default: 32 MiB. */
  bytesMax?: number;
}

/** The use of a cache since the validator was created. */
export interface CacheStatistics {
  /** Tokens that were found in the cache. */
  readonly hits: number;
  /** Tokens that were not, valid or not. */
  readonly misses: number;
  /** Tokens held now. */
  readonly entries: number;
}

interface Held {
  readonly verified: VerifiedToken;
  readonly bytes: number;
}

/**
 * A cache of two generations, which approximates LRU. New entries go into the young generation.
 * When that is full, it becomes the old one, and the entries of the previous old one are dropped
 * unless they were used since. A hit in the young generation, the usual case, changes nothing and
 * is fast.
 */
export class VerifiedTokenCache {
  readonly #halfEntriesMax: number;
  readonly #halfBytesMax: number;
  #young = new Map<string, Held>();
  #old = new Map<string, Held>();
  #youngBytes = 0;
  #hits = 0;
  #misses = 0;

  /** Throws a TypeError for options out of bounds. */
  constructor({
    entriesMax = cacheEntriesDefault,
    bytesMax = cacheBytesDefault,
    ...others
  }: CacheOptions) {
    refuseUnknownOptions("Cannot make a validator: in option cache", others);
    checkLeast("entriesMax", entriesMax, cacheEntriesMin);
    checkLeast("bytesMax", bytesMax, cacheBytesMin);
    this.#halfEntriesMax = Math.floor(entriesMax / 2);
    this.#halfBytesMax = Math.floor(bytesMax / 2);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get statistics(): CacheStatistics {
    return { hits: this.#hits, misses: this.#misses, entries: this.size };
  }

  find(token: string): VerifiedToken | undefined {
    const young = this.#young.get(token);
    if (young !== undefined) {
      this.#hits += 1;
      return young.verified;
    }
    const old = this.#old.get(token)?.verified;
    if (old === undefined) {
      this.#misses += 1;
    } else {
      this.#hits += 1;
      this.set(token, old);
    }
    return old;
  }

  /** Ignores a token that is larger than half of the cache. */
  set(token: string, verified: VerifiedToken): void {
    this.delete(token);
    const bytes = bytesOf(token, verified.token);
    if (bytes > this.#halfBytesMax) return;
    const fits =
      this.#young.size < this.#halfEntriesMax && this.#youngBytes + bytes <= this.#halfBytesMax;
    if (!fits) this.#forgetOld();
    this.#young.set(ownCopy(token), { verified, bytes });
    this.#youngBytes += bytes;
  }

  delete(token: string): void {
    this.#youngBytes -= this.#young.get(token)?.bytes ?? 0;
    this.#young.delete(token);
    this.#old.delete(token);
  }

  #forgetOld(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }
}

/**
 * An estimate: the text and the texts parsed from it, a constant for each entry, and a constant for
 * each nested value. A thousand empty objects take 4 KiB in a token and 64 KiB in memory.
 */
function bytesOf(text: string, { scopes, audience, authorizationDetails }: AccessToken): number {
  const values = scopes.size + audience.length + valuesIn(authorizationDetails ?? []);
  return 3 * text.length + 1024 + 100 * values;
}

function valuesIn(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 1;
  let values = 1;
  for (const inner of Object.values(value)) values += valuesIn(inner);
  return values;
}

function checkLeast(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new TypeError(`Cannot make a validator: option cache.${name} must be at least ${least}`);
}

/**
 * The key IDs of known headers. An issuer's tokens have one header text for each key, and parsing
 * it takes as long as all other checks of the form together. Only headers of verified tokens are
 * kept.
 */
export class KnownHeaders {
  readonly #keyIds = new Map<string, string>();

  /**
   * Second step: returns the key ID. Throws TokenRefusedError: TOKEN_MALFORMED, ALGORITHM_REFUSED.
   */
  check(unverifiedHeader: string): string {
    return this.#keyIds.get(unverifiedHeader) ?? checkHeader(unverifiedHeader);
  }

  keep(verifiedHeader: string, keyId: string): void {
    if (this.#keyIds.has(verifiedHeader)) return;
    // Headers of withdrawn keys must not displace current ones.
    if (this.#keyIds.size >= headersKeptMax) this.#keyIds.clear();
    this.#keyIds.set(ownCopy(verifiedHeader), keyId);
  }
}

/**
 * Copies a text that is kept. V8 may implement a substring as a reference to the larger text, such
 * as the body of a request, which would then stay in memory too.
 *
 * @param text ASCII
 */
function ownCopy(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}
