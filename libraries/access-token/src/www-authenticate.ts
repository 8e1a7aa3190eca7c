import { realmCharactersMax } from "./limits.ts";
import { checkScope } from "./scope.ts";
import {
  quote,
  refusalMessages,
  statusOf,
  type TokenRefusalReason,
} from "./token-refused-error.ts";

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
  const status = statusOf(reason);
  const description: string | undefined = refusalMessages[reason];
  // RFC 6750 section 3.1: no error for a request without a token. Unavailable keys or revocations
  // are not an error of the caller either.
  if (reason === "TOKEN_MISSING" || status === 503 || description === undefined) return challenge;
  const described = `${challenge}, error="${errorOf[status]}", error_description="${description}"`;
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
  400: "invalid_request",
  401: "invalid_token",
  403: "insufficient_scope",
} as const;
