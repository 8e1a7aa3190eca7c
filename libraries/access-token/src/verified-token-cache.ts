/**
 * Caches verified tokens, so that repeated ones need not be verified again.
 *
 * An entry is valid as long as the key set has the same key object. Times and revocation are never
 * cached. Only verified tokens are added, so only holders of valid tokens can fill the cache, whose
 * size is limited.
 */
import type { AccessToken, VerifiedToken } from "./access-token.ts";
import {
  cacheBytesDefault,
  cacheBytesMin,
  cacheEntriesDefault,
  cacheEntriesMin,
} from "./limits.ts";
import { refuseUnknownOptions } from "./options.ts";
import type { JsonValue } from "./parse-json.ts";

/** Limits of the cache of verified tokens. It drops first what was not used for long. */
export interface CacheOptions {
  /** Maximum number of tokens held: 2 or more. Default: 10,000. */
  entriesMax?: number;
  /** Approximate maximum of the memory that they use, in bytes: 64 KiB or more. Default: 32 MiB. */
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

/**
 * It approximates LRU with two generations, each of which gets half of the limits. New entries go
 * into the young generation. When that is full, it becomes the old one, and the entries of the
 * previous old one are dropped unless they were used since. A hit in the young generation, the
 * usual case, changes nothing and is fast.
 */
export class VerifiedTokenCache {
  readonly #entriesMax: number;
  readonly #bytesMax: number;
  #young = new Map<string, VerifiedToken>();
  #old = new Map<string, VerifiedToken>();
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
    this.#entriesMax = entriesMax;
    this.#bytesMax = bytesMax;
  }

  get statistics(): CacheStatistics {
    const entries = this.#young.size + this.#old.size;
    return { hits: this.#hits, misses: this.#misses, entries };
  }

  get(token: string): VerifiedToken | undefined {
    const young = this.#young.get(token);
    const verified = young ?? this.#old.get(token);
    if (verified === undefined) this.#misses += 1;
    else this.#hits += 1;
    if (young === undefined && verified !== undefined) this.set(token, verified);
    return verified;
  }

  /** Ignores a token that is larger than half of the cache. */
  set(token: string, verified: VerifiedToken): void {
    this.delete(token);
    const bytes = bytesOf(token, verified);
    if (bytes > this.#bytesMax / 2) return;
    const isFull = this.#young.size + 1 > this.#entriesMax / 2;
    if (isFull || this.#youngBytes + bytes > this.#bytesMax / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(ownCopy(token), verified);
    this.#youngBytes += bytes;
  }

  delete(token: string): void {
    const young = this.#young.get(token);
    if (young !== undefined) this.#youngBytes -= bytesOf(token, young);
    this.#young.delete(token);
    this.#old.delete(token);
  }
}

/**
 * V8 may implement a substring as a reference to the larger text, such as the body of a request,
 * which would then stay in memory too.
 *
 * @param text well-formed
 */
export function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}

/**
 * An estimate: the text and the texts parsed from it, a constant for each entry, and a constant for
 * each nested value. A thousand empty objects take 4 KiB in a token and 64 KiB in memory.
 */
function bytesOf(text: string, { token }: VerifiedToken): number {
  const { scopes, audience, authorizationDetails }: AccessToken = token;
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
