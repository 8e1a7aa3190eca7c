/**
 * The one error that a token, whatever it holds, can cause.
 */

/** Every reason for a refusal, with the fixed text that may be shown to the caller. */
export const refusalMessages = {
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
  SCOPE_MISSING: "The access token lacks the scope that this request needs.",
  KEY_SET_UNAVAILABLE: "The keys of the issuer are out of reach; try again later.",
} as const satisfies Record<string, string>;

export type TokenRefusalReason = keyof typeof refusalMessages;

/**
 * A token, or the header that should bring one, was refused.
 *
 * `message` is the fixed text of {@link refusalMessages} and holds nothing of the token: it may be
 * shown to the caller. `detail` is for logs only: it can quote the token's header or claims.
 */
export class TokenRefusedError extends Error {
  override readonly name = "TokenRefusedError";
  readonly reason: TokenRefusalReason;
  readonly detail: string;
  /** With `KEY_SET_UNAVAILABLE`: when another try can succeed, for the `Retry-After` header. */
  readonly retryAfterSeconds?: number;

  constructor(
    reason: TokenRefusalReason,
    detail: string,
    options: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(refusalMessages[reason], "cause" in options ? { cause: options.cause } : undefined);
    this.reason = reason;
    this.detail = detail;
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** A value of the token as a log may hold it: on one line, escaped, and short. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= quotedCharactersMax ? text : `${text.slice(0, quotedCharactersMax)}…`;
}

const quotedCharactersMax = 100;
