/** The only error that a token can cause, whatever it contains. */

/**
 * Every reason for a refusal, with a fixed text that callers may see. The README lists them with
 * their statuses.
 */
export const refusalMessages = Object.freeze({
  TOKEN_MISSING: "An access token is required.",
  AUTHORIZATION_MALFORMED: "The Authorization header must be one bearer token.",
  TOKEN_TOO_LARGE: "The access token is larger than 8 KiB.",
  TOKEN_MALFORMED: "The access token is not a well-formed signed JWT.",
  ALGORITHM_REFUSED: "The access token is not signed with RS256.",
  KEY_UNKNOWN: "The access token is signed with a key that the issuer does not publish.",
  SIGNATURE_INVALID: "The signature of the access token does not verify.",
  ISSUER_MISMATCH: "The access token comes from another issuer.",
  AUDIENCE_MISMATCH: "The access token is meant for another service.",
  TOKEN_EXPIRED: "The access token has expired.",
  TOKEN_NOT_YET_VALID: "The access token is not valid yet.",
  CLAIM_INVALID: "A claim of the access token is missing or has a wrong type.",
  TOKEN_REVOKED: "The access token has been revoked.",
  SCOPE_MISSING: "The access token lacks the scope that this request needs.",
  AUTHORIZATION_DETAIL_MISSING:
    "The access token lacks the authorization detail that this request needs.",
  KEY_SET_UNAVAILABLE: "The keys of the issuer are out of reach; try again later.",
  DENYLIST_UNAVAILABLE: "Revocations are out of reach; try again later.",
} as const satisfies Record<string, string>);

/** Why a token was refused: for programs, and safe to send to the caller. */
export type TokenRefusalReason = keyof typeof refusalMessages;

/** The HTTP statuses (RFC 6750 section 3.1) of reasons for which it is not 401. */
const otherStatuses: Readonly<Partial<Record<TokenRefusalReason, 400 | 403 | 503>>> = {
  AUTHORIZATION_MALFORMED: 400,
  SCOPE_MISSING: 403,
  AUTHORIZATION_DETAIL_MISSING: 403,
  KEY_SET_UNAVAILABLE: 503,
  DENYLIST_UNAVAILABLE: 503,
};

export function statusOf(reason: TokenRefusalReason): TokenRefusedError["status"] {
  return otherStatuses[reason] ?? 401;
}

/**
 * A token, or its `Authorization` header, was refused.
 *
 * `message` is the fixed text of {@link refusalMessages}. It contains nothing of the token, so
 * callers may see it. `detail` is only for logs, since it can quote the token's header or claims.
 */
export class TokenRefusedError extends Error {
  override readonly name = "TokenRefusedError";
  readonly reason: TokenRefusalReason;
  /** The HTTP status for an answer over plain HTTP. */
  readonly status: 400 | 401 | 403 | 503;
  /** What was wrong, in one line. Quoted values are cut off after 100 characters. */
  readonly detail: string;
  /** With status 503: after how long a retry may succeed, for the `Retry-After` header. */
  readonly retryAfterSeconds?: number;
  /** With SCOPE_MISSING: the scope that was required, for the `WWW-Authenticate` header. */
  readonly requiredScope?: string;

  /**
   * For custom key sets and denylists, which throw it.
   *
   * @param options.retryAfterSeconds a whole number, for reasons with status 503
   */
  constructor(
    reason: TokenRefusalReason,
    detail: string,
    options: { retryAfterSeconds?: number; requiredScope?: string; cause?: unknown } = {},
  ) {
    super(refusalMessages[reason], "cause" in options ? { cause: options.cause } : undefined);
    this.reason = reason;
    this.status = statusOf(reason);
    this.detail = detail;
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds;
    if (options.requiredScope !== undefined) this.requiredScope = options.requiredScope;
  }
}

/**
 * Formats a value of the token for a log: short, in one line, and in printable ASCII, so that it
 * can neither steer a terminal nor imitate other output.
 */
export function quote(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value))
    .slice(0, quotedCharactersMax + 1) // before the work for each character
    .replace(
      /[^\x20-\x7e]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  return text.length <= quotedCharactersMax ? text : `${text.slice(0, quotedCharactersMax)}…`;
}

/** The same for a value that other code has thrown, which can be anything. */
export function quoteFailure(error: unknown): string {
  try {
    if (error instanceof Error) return quote(error.message);
  } catch {
    // Reading its message threw as well.
  }
  return "it threw something other than an Error";
}

const quotedCharactersMax = 100;
