import { realmCharactersMax } from "./limits.ts";
import { checkScope } from "./scope.ts";
import { quote, refusalMessages, type TokenRefusalReason } from "./token-refused-error.ts";

/** What the header says besides the reason of the refusal. */
export interface WwwAuthenticateOptions {
  /** The protected service, by name: 1 to 128 printable ASCII characters. Default: `api`. */
  realm?: string | undefined;
  /** The scope that the request needs. Sent only with SCOPE_MISSING. Default: none is sent. */
  scope?: string | undefined;
}

/**
 * Returns the `WWW-Authenticate` header for a refusal (RFC 6750 section 3). It contains fixed
 * strings, the realm, and the required scope, but nothing of the token or its header.
 *
 * Send it with `status` of the TokenRefusedError, unless that is 503. RFC 9396 names no error for
 * missing authorization details. They become `insufficient_scope` too, which means that the token
 * grants too little, but without a scope, since another scope would not help.
 *
 * Throws a TypeError for a realm or scope that a header cannot contain.
 */
export function wwwAuthenticate(
  reason: TokenRefusalReason,
  { realm = realmDefault, scope }: WwwAuthenticateOptions = {},
): string {
  checkRealm(realm);
  // RFC 6750 section 3: at least one parameter must follow, so there is always a realm.
  const challenge = `Bearer realm="${realm}"`;
  const error = errorOf[reason];
  // RFC 6750 section 3.1: no error for a request without a token. Unavailable keys or revocations
  // are not an error of the caller either.
  if (error === undefined) return challenge;
  const description = refusalMessages[reason];
  const described = `${challenge}, error="${error}", error_description="${description}"`;
  if (reason !== "SCOPE_MISSING" || scope === undefined) return described;
  checkScope(scope);
  return `${described}, scope="${scope}"`;
}

/** Throws a TypeError for a realm that a quoted string in a header cannot contain. */
export function checkRealm(realm: string): void {
  if (typeof realm === "string" && realmText.test(realm) && realm.length <= realmCharactersMax) {
    return;
  }
  throw new TypeError(
    `Cannot use realm ${quote(realm)}: need 1 to ${realmCharactersMax} printable ASCII ` +
      "characters without quotation marks and backslashes",
  );
}

const realmDefault = "api";
/** RFC 9110 section 5.6.4: the characters of a quoted string without escapes, ASCII only. */
const realmText = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

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
  AUTHORIZATION_DETAIL_MISSING: "insufficient_scope",
} as const satisfies Record<TokenRefusalReason, string | undefined>;
