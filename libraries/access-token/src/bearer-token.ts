import { TokenRefusedError } from "./token-refused-error.ts";

/**
 * Returns the token in an `Authorization` header (RFC 6750 section 2.1), without validating it.
 *
 * Throws TokenRefusedError:
 * - TOKEN_MISSING: no header, or a scheme other than Bearer, which RFC 6750 section 3.1 treats the
 *   same
 * - AUTHORIZATION_MALFORMED: not exactly one token, which includes a Bearer header that HTTP joined
 *   with another by a comma
 */
export function readBearerToken(authorization: string | undefined): string {
  if (authorization === undefined || authorization === "") throw missing("no Authorization header");
  // Despite the type, a server may pass an array of headers.
  if (typeof authorization !== "string") throw malformed("the header is not one string");
  const [, scheme, rest] = credentials.exec(authorization) ?? [];
  if (scheme === undefined) throw malformed("the header has no authentication scheme");
  if (scheme.toLowerCase() !== "bearer") {
    // Other schemes have commas of their own: Digest username="a", realm="b".
    if (laterBearer.test(authorization)) throw malformed("several headers were joined");
    throw missing("the scheme is not Bearer");
  }
  if (rest === undefined || !b64token.test(rest)) throw malformed("the header is not one token");
  return rest;
}

/** RFC 9110 section 11.4: a scheme, spaces, and the credentials of that scheme. */
const credentials = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)(?: +(.*))?$/s;
/** Another header, joined by HTTP. */
const laterBearer = /,[ \t]*bearer(?: |$)/i;
/** RFC 6750 section 2.1. */
const b64token = /^[A-Za-z0-9\-._~+/]+=*$/;

function missing(detail: string): TokenRefusedError {
  return new TokenRefusedError("TOKEN_MISSING", detail);
}

function malformed(detail: string): TokenRefusedError {
  return new TokenRefusedError("AUTHORIZATION_MALFORMED", detail);
}
