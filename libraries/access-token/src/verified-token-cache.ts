/**
 * Verified tokens, so that the signature of a token that comes again need not be verified again.
 *
 * An entry stands as long as the key set has the very key that verified it. What depends on the
 * moment, times and revocations, is never cached. Nothing unverified comes in, so only holders of
 * valid tokens can fill the cache, and what they fill it with is bounded.
 */
import { cacheBytesDefault, cacheEntriesDefault } from "./limits.ts";
import type { VerifiedToken } from "./verified-token.ts";

export interface CacheOptions {
  /** Most tokens held: 2 or more. Default: 10,000. */
  entriesMax?: number;
  /** Most memory that they take, about: 64 KiB or more. Default: 32 MiB. */
  bytesMax?: number;
}

/**
 * Two halves instead of an order of use: new entries go into the young half; when it is full it
 * becomes the old half, and what the old one held is forgotten unless it was asked for since. A hit
 * among the young, the usual case, changes nothing, which is what makes it fast.
 */
export class VerifiedTokenCache {
  readonly #halfEntriesMax: number;
  readonly #halfBytesMax: number;
  #young = new Map<string, VerifiedToken>();
  #old = new Map<string, VerifiedToken>();
  #youngBytes = 0;

  /** Throws a TypeError for options out of bounds. */
  constructor({ entriesMax = cacheEntriesDefault, bytesMax = cacheBytesDefault }: CacheOptions) {
    checkLeast("entriesMax", entriesMax, 2);
    checkLeast("bytesMax", bytesMax, 64 * 1024);
    this.#halfEntriesMax = Math.floor(entriesMax / 2);
    this.#halfBytesMax = Math.floor(bytesMax / 2);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  find(token: string): VerifiedToken | undefined {
    const young = this.#young.get(token);
    if (young !== undefined) return young;
    const old = this.#old.get(token);
    if (old !== undefined) this.set(token, old);
    return old;
  }

  set(token: string, verified: VerifiedToken): void {
    this.delete(token);
    const bytes = bytesOf(token);
    const fits =
      this.#young.size < this.#halfEntriesMax && this.#youngBytes + bytes <= this.#halfBytesMax;
    if (!fits) this.#forgetOld();
    this.#young.set(token, verified);
    this.#youngBytes += bytes;
  }

  delete(token: string): void {
    if (this.#young.delete(token)) this.#youngBytes -= bytesOf(token);
    else this.#old.delete(token);
  }

  #forgetOld(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }
}

/**
 * The text, one byte a character; what was read out of it, which is smaller than the text but in
 * strings and objects; and the entry itself.
 */
function bytesOf(token: string): number {
  return 3 * token.length + 1024;
}

function checkLeast(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new TypeError(`Cannot make a validator: option cache.${name} must be at least ${least}`);
}
