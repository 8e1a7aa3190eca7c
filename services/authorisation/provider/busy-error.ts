/** A refusal that has nothing to do with the request: at another time it would be answered. */
import { errors } from "./library.ts";

/** 429: the caller asks too often. 503: we have too much to do. Answered with `Retry-After`. */
export class BusyError extends errors.CustomOIDCProviderError {
  readonly retryAfterSeconds: number;

  constructor(status: 429 | 503, description: string, retryAfterSeconds: number) {
    super("temporarily_unavailable", description);
    Object.assign(this, { status, statusCode: status });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
