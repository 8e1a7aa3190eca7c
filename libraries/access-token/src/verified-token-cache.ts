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
import { TwoGenerationCache } from "./two-generation-cache.ts";

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

export class VerifiedTokenCache {
  readonly #tokens: TwoGenerationCache<VerifiedToken>;
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
    this.#tokens = new TwoGenerationCache({ entriesMax, bytesMax, bytesOf });
  }

  get statistics(): CacheStatistics {
    return { hits: this.#hits, misses: this.#misses, entries: this.#tokens.size };
  }

  get(token: string): VerifiedToken | undefined {
    const verified = this.#tokens.get(token);
    if (verified === undefined) this.#misses += 1;
    else this.#hits += 1;
    return verified;
  }

  /** Ignores a token that is larger than half of the cache. */
  set(token: string, verified: VerifiedToken): void {
    this.#tokens.set(token, verified);
  }

  delete(token: string): void {
    this.#tokens.delete(token);
  }
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
