/**
 * The keys an issuer publishes at its well-known address.
 */
import { type Clock, steadyClock } from "../clock.ts";
import { keySetAgeMsMin } from "../limits.ts";
import { refuseUnknownOptions } from "../options.ts";
import { fetchKeySet } from "./fetch-key-set.ts";
import { FetchedKeySet } from "./fetched-key-set.ts";
import type { KeySet } from "./key-set.ts";
import type { KeySetEvent } from "./key-set-events.ts";

export interface RemoteKeySetOptions {
  /** The issuer's address; the key set is at `{issuer}/.well-known/jwks.json`. */
  issuer: string;
  /**
   * How long keys are used without hearing from the issuer again. Default: for ever, so that they
   * outlive any outage. With it, withdrawn keys fall by themselves, and known keys are asked for
   * again once half the age is over. At least 30,000.
   */
  maxAgeMs?: number;
  /**
   * Called during what it tells of, for metrics: it should be quick. If it throws, or gives a
   * promise that rejects, the process is warned once and all else goes on.
   */
  onEvent?: (event: KeySetEvent) => void;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Milliseconds that only ever grow. Default: `performance.now`. */
  now?: () => number;
}

export interface RemoteKeySet extends KeySet {
  /**
   * Fetches the keys again, as soon as the bound on fetches allows: for when the issuer is known to
   * have withdrawn one. The fetch begins after the call, so it may have to wait for one under way;
   * calls that can share a fetch do. Takes 15.1 s at most. Rejects with an Error when that fetch
   * fails; the keys then stay.
   */
  reload(): Promise<void>;
}

/** Nothing is fetched before the first key is asked for. Throws a TypeError for bad options. */
export function remoteKeySet(options: RemoteKeySetOptions): RemoteKeySet {
  return createRemoteKeySet(options, { ...steadyClock, now: options.now ?? steadyClock.now });
}

/** The same with time of its own, for tests. */
export function createRemoteKeySet(options: RemoteKeySetOptions, clock: Clock): RemoteKeySet {
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
  return Object.freeze({
    known: (keyId: string) => keySet.known(keyId),
    find: (keyId: string) => keySet.find(keyId),
    reload: () => keySet.reload(),
  });
}

/** Looked up at each use: programs and their tests replace the global. */
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

/** Where an issuer publishes its keys. Throws a TypeError unless the issuer is an address. */
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
