/** The validator that a resource server makes once and uses for every request. */
import type { AccessToken } from "./access-token.ts";
import type { Denylist } from "./denylist/denylist.ts";
import type { KeySet } from "./key-set/key-set.ts";
import { clockToleranceSecondsDefault, clockToleranceSecondsMax } from "./limits.ts";
import { refuseUnknownOptions } from "./options.ts";
import { type Policy, validate } from "./validate.ts";
import {
  type CacheOptions,
  type CacheStatistics,
  VerifiedTokenCache,
} from "./verified-token-cache.ts";

/** What tokens a validator accepts. */
export interface AccessTokenValidatorOptions {
  /** The only issuer whose tokens are accepted; `iss` must equal it exactly. */
  issuer: string;
  /** This resource server's identifier; `aud` must contain it. */
  audience: string;
  /** The issuer's keys: a `remoteKeySet`, or a `staticKeySet` for keys that never change. */
  keySet: KeySet;
  /** The revoked tokens. Default: none. */
  denylist?: Denylist;
  /** Limits of the cache of verified tokens. `false`: every signature is verified every time. */
  cache?: CacheOptions | false;
  /** How many seconds `nbf` and `iat` may be after now: 0 to 60. Default: 5. */
  clockToleranceSeconds?: number;
  /** How many seconds tokens stay valid after `exp`: 0 (default) to 60. */
  expiryToleranceSeconds?: number;
  /** Unix time in milliseconds. Default: `Date.now`. */
  now?: () => number;
}

/** Validates the tokens of one issuer for one resource server. */
export interface AccessTokenValidator {
  /**
   * Resolves with the contents of a valid token. Rejects only with TokenRefusedError, whatever the
   * token is: see `refusalMessages` for the reasons.
   *
   * @param token a JWT in compact form (RFC 7515 section 7.1), without `Bearer`
   */
  validate(token: string): Promise<AccessToken>;
}

/** A validator with statistics of its cache of verified tokens, for metrics. */
export interface CachingAccessTokenValidator extends AccessTokenValidator {
  /** All numbers are 0 without a cache. */
  cacheStatistics(): CacheStatistics;
}

/**
 * Creates a validator, to be used for all requests: it caches verified tokens.
 *
 * Throws a TypeError if an option is missing, unknown or out of bounds.
 */
export function createAccessTokenValidator(
  options: AccessTokenValidatorOptions,
): CachingAccessTokenValidator {
  const policy = checkOptions(options);
  return Object.freeze({
    validate: (token: string) => validate(token, policy),
    cacheStatistics: () => policy.cache?.statistics ?? noStatistics,
  });
}

const noStatistics: CacheStatistics = Object.freeze({ hits: 0, misses: 0, entries: 0 });

function checkOptions({
  issuer,
  audience,
  keySet,
  denylist,
  cache = {},
  clockToleranceSeconds = clockToleranceSecondsDefault,
  expiryToleranceSeconds = 0,
  now = Date.now,
  ...others
}: AccessTokenValidatorOptions): Policy {
  refuseUnknownOptions("Cannot make a validator", others);
  checkOption("issuer", "a non-empty string", typeof issuer === "string" && issuer !== "");
  checkOption("audience", "a non-empty string", typeof audience === "string" && audience !== "");
  checkOption(
    "keySet",
    "a key set",
    typeof keySet?.get === "function" && typeof keySet.getOrFetch === "function",
  );
  checkOption(
    "denylist",
    "a denylist",
    denylist === undefined || typeof denylist.check === "function",
  );
  checkOption(
    "cache",
    "false or its bounds",
    cache === false || (typeof cache === "object" && cache !== null),
  );
  for (const [name, seconds] of Object.entries({ clockToleranceSeconds, expiryToleranceSeconds })) {
    const isTolerance = Number.isInteger(seconds) && seconds >= 0;
    const needed = `an integer from 0 to ${clockToleranceSecondsMax}`;
    checkOption(name, needed, isTolerance && seconds <= clockToleranceSecondsMax);
  }
  checkOption("now", "a function", typeof now === "function");
  return Object.freeze({
    issuer,
    audience,
    keySet,
    keyIds: new Map(),
    denylist,
    cache: cache === false ? undefined : new VerifiedTokenCache(cache),
    clockToleranceSeconds,
    expiryToleranceSeconds,
    now,
  });
}

function checkOption(name: string, needed: string, holds: boolean): void {
  if (!holds) throw new TypeError(`Cannot make a validator: option ${name} must be ${needed}`);
}
