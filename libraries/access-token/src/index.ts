/**
 * Validates OAuth 2.0 access tokens, for resource servers.
 *
 * Exports are sorted within each block: a comment with a blank line after it begins another.
 */

// To create a validator, once, when the program starts.

export type { AccessToken, Actor, AuthorizationDetail } from "./access-token.ts";
export {
  type AccessTokenValidator,
  type AccessTokenValidatorOptions,
  type CachingAccessTokenValidator,
  createAccessTokenValidator,
} from "./validator.ts";
export type { CacheOptions, CacheStatistics } from "./verified-token-cache.ts";

// The issuer's keys, for the validator.

export { type JsonWebKeySet, type KeySet, staticKeySet } from "./key-set/key-set.ts";
export type { KeySetEvent } from "./key-set/key-set-events.ts";
export { type RemoteKeySetOptions, remoteKeySet } from "./key-set/remote-key-set.ts";

// Revoked tokens, for the validator. See also `@stowage/access-token/postgres`.

export type { Denylist, DenylistEntry } from "./denylist/denylist.ts";
export { type MemoryDenylistOptions, memoryDenylist } from "./denylist/memory-denylist.ts";

// For every request. A guard, such as `@stowage/access-token/http`, does most of it.

export { readBearerToken } from "./bearer-token.ts";
export {
  type AuthorizationDetailRequirement,
  requireAuthorizationDetail,
} from "./require-authorization-detail.ts";
export { requireScope } from "./scope.ts";

// When a token is refused.

export {
  refusalMessages,
  type TokenRefusalReason,
  TokenRefusedError,
} from "./token-refused-error.ts";
export { type WwwAuthenticateOptions, wwwAuthenticate } from "./www-authenticate.ts";
