/** Routes requests to methods, content, health checks and the landing page. */
import type { HealthHandler } from "@stowage/process";
import { requestIdHeader, requestIdOf } from "@stowage/process";
import { ApiError } from "../model/api-error.ts";
import type { CallRecord } from "../telemetry/call-record.ts";
import type { ObserveCall } from "../telemetry/observe-calls.ts";
import type { ShareWithOrigin } from "./cross-origin.ts";
import { serveLandingPage } from "./landing-page.ts";
import {
  abortResponse,
  isCallerGone,
  type NodeRequest,
  type NodeResponse,
  type RequestListener,
} from "./node-http.ts";
import type { Serve } from "./protocols/connect-protocol.ts";
import { sendErrorAnswer } from "./protocols/error-answers.ts";
import type { ReportError } from "./report-error.ts";
import { type CallLimits, openCall, type RunningCall } from "./running-call.ts";
import type { Route, ServedMethod } from "./serve-method.ts";

interface RequestListenerOptions {
  readonly methods: readonly ServedMethod[];
  /** Serves everything under `/content/`. */
  readonly content: Serve;
  readonly health: HealthHandler;
  readonly limits: CallLimits;
  readonly observe: ObserveCall;
  readonly shareWithOrigin: ShareWithOrigin;
  readonly reportError: ReportError;
}

export function createRequestListener(options: RequestListenerOptions): RequestListener {
  const { health, observe, limits, shareWithOrigin, reportError } = options;
  const methods = new Map<string, Route>(options.methods.map((method) => [method.path, method]));
  const content: Route = {
    names: { operation: "GetContent", service: undefined },
    httpMethods: ["GET", "HEAD"],
    serve: options.content,
  };

  async function serve(
    request: NodeRequest,
    response: NodeResponse,
    call: RunningCall,
  ): Promise<void> {
    const path = request.url?.split("?", 1)[0] ?? "";
    const route = methods.get(path) ?? (path.startsWith("/content/") ? content : undefined);
    if (route === undefined) throw unknownMethod(methods.keys());
    Object.assign(call.record, route.names);
    if (!route.httpMethods.includes(request.method ?? "")) {
      response.setHeader("allow", route.httpMethods.join(", "));
      throw httpMethodNotAllowed(request.method, route.httpMethods);
    }
    if (!hasPlainHost(request)) throw hostMalformed();
    await route.serve(request, response, call);
  }

  async function answer(
    request: NodeRequest,
    response: NodeResponse,
    record: CallRecord,
  ): Promise<void> {
    const call = openCall(request.headers, response, limits, record);
    try {
      await serve(request, response, call);
    } catch (error) {
      const apiError = reportError(error, { operation: record.operation, signal: call.signal });
      record.fail(apiError.reason);
      // If the rest of an answer could not be made, it must not look complete.
      if (response.headersSent || isCallerGone(response)) abortResponse(response);
      else record.answerBytes += sendErrorAnswer(request, response, apiError);
    }
  }

  return (request, response) => {
    acceptAbsoluteForm(request);
    const requestId = requestIdOf(request.headers);
    response.setHeader(requestIdHeader, requestId);
    if (health(request, response) || serveLandingPage(request, response)) return;
    if (shareWithOrigin(request, response)) return;
    observe(request, response, requestId, (record) => answer(request, response, record));
  };
}

/** A target may be a complete URL, whose host then replaces the header (RFC 9112, 3.2.2). */
function acceptAbsoluteForm(request: NodeRequest): void {
  const { url = "" } = request;
  const [start, host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (start === undefined) return;
  const rest = url.slice(start.length);
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  request.headers.host = host;
}

// connect-node builds a URL from the host, and throws if the host is invalid.
function hasPlainHost(request: NodeRequest): boolean {
  const host = "authority" in request ? request.authority : request.headers.host;
  return host !== undefined && URL.canParse(`http://${host}/`);
}

function hostMalformed(): ApiError {
  return new ApiError("REQUEST_MALFORMED", "the Host header is missing or malformed; need a host");
}

function httpMethodNotAllowed(given: string | undefined, allowed: readonly string[]): ApiError {
  const message = `${given} is not allowed; need ${allowed.join(" or ")}`;
  return new ApiError("HTTP_METHOD_NOT_ALLOWED", message);
}

function unknownMethod(methodPaths: Iterable<string>): ApiError {
  const paths = [...methodPaths].join(", ");
  const message = `no such operation; need ${paths} or /content/{bucketId}/{uploadId}`;
  return new ApiError("METHOD_UNKNOWN", message);
}
