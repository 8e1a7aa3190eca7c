/** Validates OAuth 2.0 access tokens, for resource servers. */

export type { AccessToken, Actor, AuthorizationDetail } from "./access-token.ts";
// For every request
export { readBearerToken } from "./bearer-token.ts";
// Revoked tokens
export type { Denylist, DenylistEntry } from "./denylist/denylist.ts";
export { type MemoryDenylistOptions, memoryDenylist } from "./denylist/memory-denylist.ts";
export type { KeySet } from "./key-set/key-set.ts";
// Once, when the program starts
export { type JsonWebKeySet, staticKeySet } from "./key-set/key-set.ts";
export type { KeySetEvent } from "./key-set/key-set-events.ts";
export {
  type RemoteKeySet,
  type RemoteKeySetOptions,
  remoteKeySet,
} from "./key-set/remote-key-set.ts";
export {
  type AuthorizationDetailRequirement,
  requireAuthorizationDetail,
} from "./require-authorization-detail.ts";
export { requireScope } from "./scope.ts";
// When a token is refused
export {
  refusalMessages,
  type TokenRefusalReason,
  TokenRefusedError,
} from "./token-refused-error.ts";
export {
  type AccessTokenValidator,
  type AccessTokenValidatorOptions,
  type CachingAccessTokenValidator,
  createAccessTokenValidator,
} from "./validator.ts";
export type { CacheOptions, CacheStatistics } from "./verified-token-cache.ts";
export { type WwwAuthenticateOptions, wwwAuthenticate } from "./www-authenticate.ts";
