/**
 * Handles each request before the provider sees it. It passes on known routes and bodies of limited
 * size only, replaces U+0000, and sets the headers from which the provider derives its own address.
 */
import type {
  IncomingMessage,
  OutgoingHttpHeaders,
  RequestListener,
  ServerResponse,
} from "node:http";
import {
  type AccessLines,
  type HealthHandler,
  type Logger,
  observeAnswer,
  requestIdHeader,
  requestIdOf,
} from "@stowage/process";
import type { RateLimiter } from "../limits/rate-limiter.ts";
import type { ServiceMetrics } from "../metrics/service-metrics.ts";
import { basePathOf } from "../model/paths.ts";
import type { CallerAddress } from "./caller-address.ts";
import { bodyBytesMax, IncompleteRequestError, readBody, withBody } from "./read-body.ts";
import { beginRecord } from "./request-record.ts";
import { type Route, routesUnder } from "./routes.ts";

/** Makes the handler of all requests. */
export function createRequestHandler(options: {
  authUrl: string;
  callerAddress: CallerAddress;
  /** How often one address may ask. Requests for public documents do not count. */
  addressRate: RateLimiter;
  health: HealthHandler;
  provider: (request: IncomingMessage, response: ServerResponse) => unknown;
  metrics: Pick<ServiceMetrics, "requests" | "requestSeconds">;
  /** Gets a line for each request. */
  accessLines: AccessLines;
  logger: Logger;
}): RequestListener {
  const { authUrl, callerAddress, addressRate, health, provider, logger } = options;
  const findRoute = routesUnder(authUrl);

  const answer = async (request: IncomingMessage, response: ServerResponse, route: Target) => {
    const address = callerAddress(request);
    if (!route.isPublic) {
      const waitSeconds = await addressRate.consume(address);
      if (waitSeconds > 0) return refuse(request, response, askedTooOften(waitSeconds));
    }
    const body = hasBody(request) ? await readBody(request) : Buffer.alloc(0);
    if (body === undefined) return refuse(request, response, bodyTooLarge);
    const whole = withBody(request, cleanBody(body));
    pinAddress(whole, authUrl, route.providerUrl);
    whole.headers["x-forwarded-for"] = address;
    await provider(whole, response);
  };

  return (request, response) => {
    const { path, query } = targetOf(request);
    request.url = path + query;
    if (health(request, response)) return;
    const route = findRoute(path);
    observe(request, response, { ...options, route: route?.name });
    if (route === undefined) return refuse(request, response, notFound);
    const refused = refusalOf(request, route);
    if (refused !== undefined) return refuse(request, response, refused);
    const target = { ...route, providerUrl: route.providerPath + cleanForm(query) };
    answer(request, response, target).catch((error) => {
      if (error instanceof IncompleteRequestError) {
        logger.info({ reason: error.message }, "a request did not arrive whole");
        response.destroy();
        return;
      }
      logger.error({ err: error, route: route.name }, "cannot answer a request");
      if (response.headersSent) response.destroy();
      else refuse(request, response, fault);
    });
  };
}

function observe(
  request: IncomingMessage,
  response: ServerResponse,
  options: {
    route: string | undefined;
    metrics: Pick<ServiceMetrics, "requests" | "requestSeconds">;
    accessLines: AccessLines;
  },
): void {
  const record = beginRecord(response, requestIdOf(request.headers), options.route);
  const { method } = request;
  response.setHeader(requestIdHeader, record.requestId);
  const observed = { ...options, route: record.route };
  observeAnswer(response, observed, (status) => ({ ...record, method, status }));
}

/** The route of a request, and the URL that the provider gets. */
interface Target extends Route {
  providerUrl: string;
}

const notFound = {
  status: 404,
  error: "not_found",
  description: "there is nothing at this address",
};

const bodyTooLarge = {
  status: 413,
  error: "invalid_request",
  description: `the body must be at most ${bodyBytesMax} bytes`,
};

const fault = {
  status: 500,
  error: "server_error",
  description: "the authorisation server cannot answer now; try again later",
};

function askedTooOften(waitSeconds: number) {
  return {
    status: 429,
    error: "temporarily_unavailable",
    description: "too many requests come from this address",
    headers: { "Retry-After": String(waitSeconds) },
  };
}

function refusalOf(request: IncomingMessage, route: Route) {
  const { method = "", headers } = request;
  const isNoPreflight = method === "OPTIONS" && !headers["access-control-request-method"];
  if (!route.methods.includes(method) || isNoPreflight) {
    const allowed = route.methods.join(", ");
    return {
      status: 405,
      error: "invalid_request",
      description: `the method must be ${allowed}`,
      headers: { Allow: allowed },
    };
  }
  if (Number(request.headers["content-length"] ?? 0) > bodyBytesMax) return bodyTooLarge;
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
 * Replaces U+0000 in a query or a form by U+FFFD, as HTML does. PostgreSQL stores no text with
 * U+0000, and fails when it reads JSON with it, so one such parameter could break a list for good.
 * No name or secret was ever given out with U+FFFD in it, so each route answers as to an unknown
 * one.
 */
function replaceNul(encoded: string): string {
  return encoded.replaceAll(/%00|\0/g, "%EF%BF%BD");
}

/** Replaces U+0000, and several spaces between scopes by one: people and programs type them. */
export function cleanForm(encoded: string): string {
  return replaceNul(encoded).replace(/(?<=(?:^|[?&])scope=)[^&]*/g, (scopes) =>
    scopes
      .split(/(?:\+|%20)+/)
      .filter((scope) => scope !== "")
      .join("+"),
  );
}

/** The same in the body of a request: all bodies are forms. */
export function cleanBody(body: Buffer): Buffer {
  const given = body.toString("latin1");
  const cleaned = cleanForm(given);
  return cleaned === given ? body : Buffer.from(cleaned, "latin1");
}

/** Sets the headers from which oidc-provider derives addresses. Callers must not choose them. */
function pinAddress(request: IncomingMessage, authUrl: string, providerUrl: string): void {
  const { host, protocol } = new URL(authUrl);
  request.headers.host = host;
  request.headers["x-forwarded-proto"] = protocol.replace(":", "");
  request.headers["x-forwarded-host"] = undefined;
  request.url = providerUrl;
  // oidc-provider derives the path that it is mounted at from the difference to `url`.
  Object.assign(request, { originalUrl: basePathOf(authUrl) + providerUrl });
}

/** Answers with an error in the form of OAuth (RFC 6749 section 5.2). */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: { status: number; error: string; description: string; headers?: OutgoingHttpHeaders },
): void {
  const body = JSON.stringify({ error: refusal.error, error_description: refusal.description });
  response.writeHead(refusal.status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    // The rest of the body will not be read.
    ...(hasBody(request) && { Connection: "close" }),
    ...refusal.headers,
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** Whether a request has a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
