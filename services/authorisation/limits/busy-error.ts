/**
 * 429: the caller asks too often. 503: the service has too much to do.
 *
 * The members are those by which oidc-provider turns an error into an answer, so it can be thrown
 * anywhere in a request: see http/error-answers.ts.
 */
export class BusyError extends Error {
  override readonly name = "BusyError";
  /** The error code of OAuth, which is the message too. */
  readonly error = "temporarily_unavailable";
  readonly error_description: string;
  readonly statusCode: 429 | 503;
  readonly retryAfterSeconds: number;
  /** The answer may contain the code and the description. */
  readonly expose = true;
  /** The answer to an authorization request may be a redirect to the client. */
  readonly allow_redirect = true;

  constructor(statusCode: 429 | 503, description: string, retryAfterSeconds: number) {
    super("temporarily_unavailable");
    this.statusCode = statusCode;
    this.error_description = description;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
