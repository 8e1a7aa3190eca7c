/**
 * Verified tokens, so that the signature of a token that comes again need not be verified again.
 *
 * An entry stands as long as the key set has the very key that verified it. What depends on the
 * moment, times and revocations, is never cached. Nothing unverified comes in, so only holders of
 * valid tokens can fill the cache, and what they fill it with is bounded.
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
  /** Most tokens held: 2 or more. Default: 10,000. */
  entriesMax?: number;
  /** Most memory that they take, about: 64 KiB or more. Default: 32 MiB. */
  bytesMax?: number;
}

interface Held {
  readonly verified: VerifiedToken;
  readonly bytes: number;
}

/**
 * Two halves instead of an order of use: new entries go into the young half; when it is full it
 * becomes the old half, and what the old one held is forgotten unless it was asked for since. A hit
 * among the young, the usual case, changes nothing, which is what makes it fast.
 */
export class VerifiedTokenCache {
  readonly #halfEntriesMax: number;
  readonly #halfBytesMax: number;
  #young = new Map<string, Held>();
  #old = new Map<string, Held>();
  #youngBytes = 0;

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

  find(token: string): VerifiedToken | undefined {
    const young = this.#young.get(token);
    if (young !== undefined) return young.verified;
    const old = this.#old.get(token)?.verified;
    if (old !== undefined) this.set(token, old);
    return old;
  }

  /** Does nothing for a token that alone is too large. */
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
 * About: the text, one byte a character; the texts that were read out of it; what every entry has;
 * and what each of the values has of which there can be many. A thousand empty objects are 4 KiB of
 * a token, and 64 KiB of memory.
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
 * The headers of an issuer's tokens are all alike: one text for each key. Reading the same one
 * again would take as long as all other checks of the form together, so what they say is kept. Only
 * headers of tokens whose signature has verified are, so that nobody else can fill the memory.
 */
export class KnownHeaders {
  readonly #keyIds = new Map<string, string>();

  /**
   * Second step. Gives the key ID. Throws TokenRefusedError: TOKEN_MALFORMED, ALGORITHM_REFUSED.
   */
  check(unverifiedHeader: string): string {
    return this.#keyIds.get(unverifiedHeader) ?? checkHeader(unverifiedHeader);
  }

  keep(verifiedHeader: string, keyId: string): void {
    if (this.#keyIds.has(verifiedHeader)) return;
    // Those of keys that are long withdrawn must not keep out those of today.
    if (this.#keyIds.size >= headersKeptMax) this.#keyIds.clear();
    this.#keyIds.set(ownCopy(verifiedHeader), keyId);
  }
}

/**
 * The same text in memory of its own, for what is kept. A text that was cut out of a larger one,
 * such as the body of a request, can keep the whole of that in memory as long as it lives itself.
 *
 * @param text ASCII
 */
function ownCopy(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}
