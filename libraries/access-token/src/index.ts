/** Validates OAuth 2.0 access tokens, for resource servers. */

export type { AccessToken, Actor, AuthorizationDetail } from "./access-token.ts";
// For every request
export { readBearerToken } from "./bearer-token.ts";
// Revoked tokens
export type { Denylist } from "./denylist/denylist.ts";
export type { DenylistEntry } from "./denylist/entry.ts";
export { type MemoryDenylistOptions, memoryDenylist } from "./denylist/memory-denylist.ts";
export type { KeySet } from "./key-set.ts";
export type { KeySetEvent } from "./key-set-events.ts";
export { type RemoteKeySet, type RemoteKeySetOptions, remoteKeySet } from "./remote-key-set.ts";
export {
  type AuthorizationDetailRequirement,
  requireAuthorizationDetail,
} from "./require-authorization-detail.ts";
export { requireScope } from "./scope.ts";
// Once, when the program starts
export { type JsonWebKeySet, staticKeySet } from "./static-key-set.ts";
// When a token is refused
export {
  refusalMessages,
  type TokenRefusalReason,
  TokenRefusedError,
} from "./token-refused-error.ts";
export {
  type AccessTokenValidator,
  type AccessTokenValidatorOptions,
  createAccessTokenValidator,
} from "./validator.ts";
export type { CacheOptions } from "./verified-token-cache.ts";
export { type WwwAuthenticateOptions, wwwAuthenticate } from "./www-authenticate.ts";
