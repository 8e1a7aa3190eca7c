/** Finds the route of each request, and turns what it throws into an answer. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import {
  type AccessLines,
  errorText,
  type HealthHandler,
  isDatabaseUnavailable,
  isQueryCancelled,
  type Logger,
  OutageLines,
  observeAnswer,
  requestIdHeader,
  requestIdOf,
} from "@stowage/process";
import type { ServiceMetrics } from "../metrics/service-metrics.ts";
import { type Reason, WebError } from "../model/web-error.ts";
import { type Handle, isOpenedByPerson, redirect, sendError, sendRefusalPage } from "./answer.ts";
import { commonHeaders } from "./security-headers.ts";
import { BrowserGoneError } from "./while-connected.ts";

export interface Route {
  /** Label of metrics and log lines. */
  readonly name: string;
  /** The whole path, or its beginning if it ends with a slash (and is not only that). */
  readonly path: string;
  readonly methods: readonly string[];
  readonly handle: Handle;
}

interface HandlerOptions {
  readonly routes: readonly Route[];
  /** The page's own origin. */
  readonly origin: string;
  readonly health: HealthHandler;
  readonly metrics: Pick<ServiceMetrics, "requests" | "requestSeconds">;
  readonly accessLines: AccessLines;
  readonly logger: Logger;
}

export function createRequestHandler(options: HandlerOptions): RequestListener {
  const { routes, origin, health, logger } = options;
  const headers = Object.entries(commonHeaders(origin)) as [string, string][];
  const checkHost = hostCheck(origin);
  const outages = new OutageLines(logger, {
    failing: "cannot answer a request",
    over: "no request has failed in the last 10 s",
  });

  const answer = async (request: IncomingMessage, response: ServerResponse, route?: Route) => {
    if (route === undefined) throw nothingHere();
    const { method = "" } = request;
    if (!route.methods.includes(method)) {
      response.setHeader("Allow", route.methods.join(", "));
      throw new WebError(
        "HTTP_METHOD_NOT_ALLOWED",
        `the method must be ${route.methods.join(" or ")}`,
      );
    }
    if (!checkHost(request, response)) return;
    await route.handle(request, response);
  };

  return (request, response) => {
    if (health(request, response)) return;
    for (const [name, value] of headers) response.setHeader(name, value);
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const route = routes.find((each) =>
      each.path.length > 1 && each.path.endsWith("/")
        ? path.startsWith(each.path)
        : path === each.path,
    );
    observe(request, response, { ...options, route: route?.name ?? "unknown" });
    answer(request, response, route).catch((error) => {
      refuse(response, error, { route: route?.name, logger, outages });
    });
  };
}

function observe(
  request: IncomingMessage,
  response: ServerResponse,
  options: Pick<HandlerOptions, "metrics" | "accessLines"> & { route: string },
): void {
  const requestId = requestIdOf(request.headers);
  request.headers[requestIdHeader] = requestId;
  response.setHeader(requestIdHeader, requestId);
  const { method } = request;
  const { route } = options;
  observeAnswer(response, options, (status) => ({ requestId, route, method, status }));
}

/** Many requests may fail for these. The issuer's outages are logged where it is asked. */
const outageReasons: readonly Reason[] = [
  "CONTENT_UNAVAILABLE",
  "DATABASE_UNAVAILABLE",
  "UPLOADS_UNAVAILABLE",
];

/** Answers with the error, or breaks the answer off if it has begun. */
function refuse(
  response: ServerResponse,
  error: unknown,
  { route, logger, outages }: { route: string | undefined; logger: Logger; outages: OutageLines },
): void {
  if (response.headersSent) {
    logger.debug({ route, reason: errorText(error) }, "an answer was broken off");
    response.destroy();
    return;
  }
  const refusal = webErrorOf(error);
  if (refusal.reason === "INTERNAL" && !response.destroyed) {
    logger.error({ route, err: error }, "a request failed");
  } else if (outageReasons.includes(refusal.reason)) {
    const reason = errorText(refusal);
    outages.failed(reason, { route, reason });
  } else if (!(error instanceof BrowserGoneError)) {
    logger.debug({ route, reason: errorText(error) }, "a request was refused");
  }
  const { req: request } = response;
  if (isOpenedByPerson(request)) sendRefusalPage(response, refusal);
  // The rest of the body is not read.
  else sendError(response, refusal, request.complete ? {} : { Connection: "close" });
}

function webErrorOf(error: unknown): WebError {
  if (error instanceof WebError) return error;
  // A statement may wait for a session that is being refreshed while the issuer does not answer.
  if (isQueryCancelled(error) || isDatabaseUnavailable(error)) {
    return new WebError("DATABASE_UNAVAILABLE", "the database cannot be used", { cause: error });
  }
  return new WebError("INTERNAL", "internal error", { cause: error });
}

function nothingHere(): WebError {
  return new WebError("ADDRESS_UNKNOWN", "there is nothing at this address");
}

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/**
 * On this machine, no proxy chooses the host. Another name of it gets a redirect, since cookies
 * belong to one name; any other host is of a page that pretends to be this machine (DNS rebinding).
 */
function hostCheck(
  origin: string,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const own = new URL(origin);
  if (own.protocol === "https:") return () => true;
  return (request, response) => {
    const given = URL.parse(`http://${request.headers.host}`);
    if (given?.host === own.host) return true;
    const isOtherName = loopbackNames.includes(given?.hostname ?? "");
    if (!isOtherName || request.method !== "GET") {
      throw new WebError("HOST_REFUSED", `the host must be ${own.host}`);
    }
    redirect(response, origin + (request.url?.startsWith("/") ? request.url : "/"));
    return false;
  };
}
