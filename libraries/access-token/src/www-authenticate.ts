import { checkScope } from "./scope.ts";
import { refusalMessages, type TokenRefusalReason } from "./token-refused-error.ts";

/**
 * The `WWW-Authenticate` header for a refusal (RFC 6750 section 3). It holds fixed strings and the
 * scope that the server needs; nothing of the token or its header.
 *
 * Statuses that go with it: 401 for `invalid_token` and where no error is named, 403 for
 * `insufficient_scope`, 400 for `invalid_request`.
 */
export function wwwAuthenticate(reason: TokenRefusalReason, requiredScope?: string): string {
  const error = errorOf[reason];
  // RFC 6750 section 3.1: who sent no token is not told of errors. Nor is the caller at fault when
  // our keys or revocations are out of reach.
  if (error === undefined) return challenge;
  const message = refusalMessages[reason];
  const described = `${challenge}, error="${error}", error_description="${message}"`;
  if (error !== "insufficient_scope" || requiredScope === undefined) return described;
  checkScope(requiredScope);
  return `${described}, scope="${requiredScope}"`;
}

const challenge = 'Bearer realm="stowage"';

const errorOf = {
  TOKEN_MISSING: undefined,
  KEY_SET_UNAVAILABLE: undefined,
  DENYLIST_UNAVAILABLE: undefined,
  AUTHORIZATION_MALFORMED: "invalid_request",
  TOKEN_TOO_LARGE: "invalid_token",
  TOKEN_MALFORMED: "invalid_token",
  ALGORITHM_REFUSED: "invalid_token",
  KEY_UNKNOWN: "invalid_token",
  SIGNATURE_INVALID: "invalid_token",
  ISSUER_MISMATCH: "invalid_token",
  AUDIENCE_MISMATCH: "invalid_token",
  TOKEN_EXPIRED: "invalid_token",
  TOKEN_NOT_YET_VALID: "invalid_token",
  CLAIM_INVALID: "invalid_token",
  TOKEN_REVOKED: "invalid_token",
  SCOPE_MISSING: "insufficient_scope",
} as const satisfies Record<TokenRefusalReason, string | undefined>;
