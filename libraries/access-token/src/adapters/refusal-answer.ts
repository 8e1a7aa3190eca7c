import { STATUS_CODES } from "node:http";
import type { TokenRefusedError } from "../token-refused-error.ts";
import { wwwAuthenticate } from "../www-authenticate.ts";

/** What a refusal is answered with over plain HTTP. Nothing of it comes from the request. */
export interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function refusalAnswer(error: TokenRefusedError, realm: string | undefined): RefusalAnswer {
  const { status, message, reason } = error;
  return {
    status,
    headers: { "content-type": "application/problem+json", ...refusalHeaders(error, realm) },
    // RFC 9457: problem details, with the reason as an extension.
    body: JSON.stringify({ title: STATUS_CODES[status], status, detail: message, reason }),
  };
}

/** RFC 6750 section 3 for what the caller can mend; when to come back for what it cannot. */
export function refusalHeaders(
  { reason, status, requiredScope, retryAfterSeconds }: TokenRefusedError,
  realm: string | undefined,
): Record<string, string> {
  if (status !== 503) {
    return { "www-authenticate": wwwAuthenticate(reason, { realm, scope: requiredScope }) };
  }
  return retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
}
