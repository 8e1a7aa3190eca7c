/** Cross-origin resource sharing (Fetch standard, "HTTP CORS protocol"). */
import { cors } from "@connectrpc/connect";
import { requestIdHeader } from "@stowage/process";
import type { NodeRequest, NodeResponse } from "./node-http.ts";

/** How long a browser may keep the answer to a preflight request. Chromium keeps it for 2 h. */
const preflightMaxAgeSeconds = 7200;

const allowedMethods = "POST";
const allowedHeaders = [
  ...cors.allowedHeaders,
  "Authorization",
  "Traceparent",
  "Tracestate",
  requestIdHeader,
].join(", ");
const exposedHeaders = [
  ...cors.exposedHeaders,
  "Retry-After",
  "WWW-Authenticate",
  requestIdHeader,
].join(", ");

/**
 * Adds the headers that let a browser give the answer to a page of another origin. If the request
 * is a preflight request, answers it and returns true.
 */
export type ShareWithOrigin = (request: NodeRequest, response: NodeResponse) => boolean;

/**
 * @param origins the origins whose pages may call the service, exactly as browsers send them.
 *   Cookies are never allowed: a caller shows its token in a header.
 */
export function shareWithOrigins(origins: readonly string[]): ShareWithOrigin {
  const allowed = new Set(origins);
  if (allowed.size === 0) return () => false;
  return (request, response) => {
    // Even if the origin is not allowed: a cache must not reuse that answer for one that is.
    response.setHeader("vary", "Origin");
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return false;
    response.setHeader("access-control-allow-origin", origin);
    if (request.method === "OPTIONS" && request.headers["access-control-request-method"]) {
      answerPreflight(response);
      return true;
    }
    response.setHeader("access-control-expose-headers", exposedHeaders);
    return false;
  };
}

function answerPreflight(response: NodeResponse): void {
  response.setHeader("access-control-allow-methods", allowedMethods);
  response.setHeader("access-control-allow-headers", allowedHeaders);
  response.setHeader("access-control-max-age", preflightMaxAgeSeconds);
  response.statusCode = 204;
  response.end();
}
