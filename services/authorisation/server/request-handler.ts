/**
 * What a request passes before the provider sees it: only known routes, only bodies of a sane
 * size, and no say in what the service believes its own address to be.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { HealthHandler } from "@stowage/process";
import { refuse } from "./answer.ts";
import type { CallerAddress } from "./caller-address.ts";
import { basePathOf, type Route, routesUnder } from "./routes.ts";

/** A token request is a few hundred bytes. */
const bodyBytesMax = 16 * 1024;

/** Makes the handler of all requests. */
export function createRequestHandler(options: {
  authUrl: string;
  callerAddress: CallerAddress;
  health: HealthHandler;
  provider: (request: IncomingMessage, response: ServerResponse) => unknown;
}): RequestListener {
  const { authUrl, callerAddress, health, provider } = options;
  const routes = routesUnder(authUrl);

  return (request, response) => {
    if (health(request, response)) return;
    const { path, query } = targetOf(request);
    const route = routes.get(path);
    const refused = refusalOf(request, route);
    if (refused) return refuse(request, response, refused);
    // A body of unknown length may never end: the connection must not outlive the answer.
    if (request.headers["transfer-encoding"] !== undefined) response.shouldKeepAlive = false;
    const address = callerAddress(request);
    pinAddress(request, authUrl, `${route?.providerPath}${query}`);
    request.headers["x-forwarded-for"] = address;
    provider(request, response);
  };
}

function refusalOf(request: IncomingMessage, route: Route | undefined) {
  if (route === undefined) {
    return { status: 404, error: "not_found", description: "there is nothing at this address" };
  }
  if (!route.methods.includes(request.method ?? "")) {
    const allowed = route.methods.join(", ");
    return {
      status: 405,
      error: "invalid_request",
      description: `the method must be ${allowed}`,
      headers: { Allow: allowed },
    };
  }
  if (Number(request.headers["content-length"] ?? 0) > bodyBytesMax) {
    return {
      status: 413,
      error: "invalid_request",
      description: `the body must be at most ${bodyBytesMax} bytes`,
    };
  }
  return undefined;
}

/** Path and query of a request target, which may be a whole URL (RFC 9112 section 3.2.2). */
function targetOf(request: IncomingMessage): { path: string; query: string } {
  const target = request.url ?? "";
  const url = target.startsWith("/") ? null : URL.parse(target);
  if (url !== null) return { path: url.pathname, query: url.search };
  const path = target.split("?", 1)[0] ?? "";
  return { path, query: target.slice(path.length) };
}

/**
 * Makes a request say that it was sent to AUTH_URL. oidc-provider derives addresses from these
 * headers, and whoever sends a request could otherwise choose them.
 */
function pinAddress(request: IncomingMessage, authUrl: string, providerUrl: string): void {
  const { host, protocol } = new URL(authUrl);
  request.headers.host = host;
  request.headers["x-forwarded-proto"] = protocol.replace(":", "");
  request.headers["x-forwarded-host"] = undefined;
  request.url = providerUrl;
  // oidc-provider learns from the difference to `url` under which path it is mounted.
  Object.assign(request, { originalUrl: basePathOf(authUrl) + providerUrl });
}
