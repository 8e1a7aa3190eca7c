/** The keys that an issuer publishes at its well-known address. */
import { type Clock, steadyClock } from "../clock.ts";
import { keySetAgeMsMin } from "../limits.ts";
import { refuseUnknownOptions } from "../options.ts";
import { fetchKeySet } from "./fetch-key-set.ts";
import { FetchedKeySet } from "./fetched-key-set.ts";
import type { KeySet } from "./key-set.ts";
import type { KeySetEvent } from "./key-set-events.ts";

/** Where the keys are, and how they are fetched and used. */
export interface RemoteKeySetOptions {
  /** The issuer's address; the key set is at `{issuer}/.well-known/jwks.json`. */
  issuer: string;
  /**
   * How long keys are used without a new fetch: 30,000 or more. Default: for ever, so that they
   * survive any outage. With this option withdrawn keys expire, and keys are fetched again after
   * half of the time.
   */
  maxAgeMs?: number;
  /**
   * Called synchronously for each event, for metrics, so it should be quick. If it throws, or
   * returns a promise that rejects, the process is warned once.
   */
  onEvent?: (event: KeySetEvent) => void;
  /** Replace it to use your own proxies and certificates. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** A monotonic clock in milliseconds. Default: `performance.now`. */
  now?: () => number;
}

/**
 * Creates a key set that fetches `{issuer}/.well-known/jwks.json` (RFC 7517 section 5) when a token
 * names a key that it does not have: at most twice in 10 s, 5 s for each fetch, 64 KiB, 32 keys. It
 * fetches nothing before the first key is needed. Make one for each issuer.
 *
 * Throws a TypeError for invalid options.
 */
export function remoteKeySet(options: RemoteKeySetOptions): KeySet {
  return createRemoteKeySet(options, { ...steadyClock, now: options.now ?? steadyClock.now });
}

/** The same with another clock, for tests. */
export function createRemoteKeySet(options: RemoteKeySetOptions, clock: Clock): KeySet {
  const { issuer, maxAgeMs, onEvent, fetch = currentFetch, now, ...others } = options;
  refuseUnknownOptions("Cannot make a key set", others);
  const url = keySetUrl(issuer);
  for (const [name, option] of Object.entries({ onEvent, fetch, now })) checkFunction(name, option);
  const keySet = new FetchedKeySet({
    download: () => fetchKeySet({ url, fetch, clock }),
    clock,
    maxAgeMs: checkMaxAge(maxAgeMs),
    onEvent,
  });
  return Object.freeze(keySet);
}

/** Looked up for each fetch, since programs and tests may replace the global. */
const currentFetch: typeof fetch = (...request) => globalThis.fetch(...request);

function checkMaxAge(maxAgeMs: unknown = Number.POSITIVE_INFINITY): number {
  if (typeof maxAgeMs === "number" && maxAgeMs >= keySetAgeMsMin) return maxAgeMs;
  throw new TypeError(
    `Cannot make a key set: maxAgeMs is ${String(maxAgeMs)}, need at least ${keySetAgeMsMin}`,
  );
}

function checkFunction(name: string, option: unknown): void {
  if (option === undefined || typeof option === "function") return;
  throw new TypeError(`Cannot make a key set: ${name} is ${String(option)}, need a function`);
}

/** The address of an issuer's keys. Throws a TypeError unless the issuer is a plain address. */
export function keySetUrl(issuer: string): URL {
  const url = typeof issuer === "string" && URL.canParse(issuer) ? new URL(issuer) : null;
  const isAddress =
    url !== null &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === "" &&
    !/[?#]/.test(issuer);
  if (!isAddress) {
    throw new TypeError(
      "Cannot make a key set: need an issuer that is an http or https address without " +
        `user, query and fragment, got ${JSON.stringify(issuer)}`,
    );
  }
  return new URL(`${issuer.replace(/\/$/, "")}/.well-known/jwks.json`);
}
