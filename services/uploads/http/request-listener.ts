/** Routes requests to methods, health checks and the landing page. */

import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import type { AccessToken, AccessTokenValidator } from "@stowage/access-token";
import type { HealthHandler, Logger } from "@stowage/process";
import { requestIdHeader, requestIdOf } from "@stowage/process";
import { ApiError } from "../model/api-error.ts";
import type { CallRecord } from "../telemetry/call-record.ts";
import type { ObserveCall } from "../telemetry/observe-calls.ts";
import { authenticateFor, methodPath } from "./authenticate.ts";
import { type Admit, connectProtocol, type Serve, type UnaryOptions } from "./connect-protocol.ts";
import type { ShareWithOrigin } from "./cross-origin.ts";
import { sendErrorAnswer } from "./error-answers.ts";
import { grpcProtocols } from "./grpc-protocol.ts";
import type { Handler } from "./handler.ts";
import { serveLandingPage } from "./landing-page.ts";
import {
  breakOff,
  isGone,
  type NodeRequest,
  type NodeResponse,
  type RequestListener,
} from "./node-http.ts";
import { isTimeUp } from "./report-error.ts";
import { type CallLimits, openCall } from "./running-call.ts";

/** A method, and how its calls are served in every protocol. */
interface ServedMethod {
  readonly path: string;
  /** The names of the method and of its service. */
  readonly names: Pick<CallRecord, "operation" | "service">;
  readonly serve: Serve;
}

type MethodOptions = Omit<UnaryOptions, "admit"> & {
  readonly validator: AccessTokenValidator;
  /** Rejects a call beyond the rate of its caller. */
  readonly countCall: ((caller: AccessToken) => Promise<void>) | undefined;
};

export function serveMethod<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  handler: Handler<Input>,
  { validator, countCall, ...others }: MethodOptions,
): ServedMethod {
  const authenticate = authenticateFor(method, validator);
  // Only calls with a valid token are counted, so nobody can use up the calls of others.
  const admit: Admit = async (request, record) => {
    const caller = await authenticate(request);
    record.caller = caller;
    await countCall?.(caller);
    return caller;
  };
  const options = { ...others, admit };
  const connect = connectProtocol(method, handler, options);
  const grpc = grpcProtocols(method, handler, options);
  return {
    path: methodPath(method),
    names: { operation: method.name, service: method.parent.typeName },
    serve(request, response, call) {
      const serve = grpc(request.headers["content-type"] ?? "") ?? connect;
      return serve(request, response, call);
    },
  };
}

interface RequestListenerOptions {
  readonly methods: readonly ServedMethod[];
  readonly health: HealthHandler;
  readonly limits: CallLimits;
  readonly observe: ObserveCall;
  readonly shareWithOrigin: ShareWithOrigin;
  readonly logger: Logger;
}

export function createRequestListener(options: RequestListenerOptions): RequestListener {
  const { health, observe, logger, limits, shareWithOrigin } = options;
  const methods = new Map(options.methods.map((method) => [method.path, method]));

  async function answer(
    request: NodeRequest,
    response: NodeResponse,
    record: CallRecord,
  ): Promise<void> {
    const method = methods.get(request.url?.split("?", 1)[0] ?? "");
    if (method === undefined) throw unknownMethod();
    Object.assign(record, method.names);
    if (request.method !== "POST") {
      response.setHeader("allow", "POST");
      throw httpMethodNotAllowed(request.method);
    }
    if (!hasPlainHost(request)) throw hostMalformed();
    await method.serve(request, response, openCall(request.headers, response, limits, record));
  }

  function onFailure(
    error: unknown,
    request: NodeRequest,
    response: NodeResponse,
    record: CallRecord,
  ): void {
    if (response.headersSent || isGone(response)) {
      // The caller is gone, or the rest could not be made. The answer must not look complete.
      logger.debug({ err: error, path: request.url }, "an answer was not completed");
      if (isTimeUp(error)) record.fail("DEADLINE_EXCEEDED");
      breakOff(response);
      return;
    }
    if (!(error instanceof ApiError)) {
      logger.error({ err: error, path: request.url }, "a request was not answered");
    }
    const apiError =
      error instanceof ApiError
        ? error
        : new ApiError("INTERNAL", "internal error", { cause: error });
    record.fail(apiError.reason);
    record.answerBytes += sendErrorAnswer(request, response, apiError);
  }

  return (request, response) => {
    acceptAbsoluteForm(request);
    const requestId = requestIdOf(request.headers);
    response.setHeader(requestIdHeader, requestId);
    if (health(request, response) || serveLandingPage(request, response)) return;
    if (shareWithOrigin(request, response)) return;
    observe(request, response, requestId, (record) =>
      answer(request, response, record).catch((error: unknown) =>
        onFailure(error, request, response, record),
      ),
    );
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

// The framework makes a URL of it, which fails for `a b`.
function hasPlainHost(request: NodeRequest): boolean {
  const host = "authority" in request ? request.authority : request.headers.host;
  return host !== undefined && URL.canParse(`http://${host}/`);
}

function hostMalformed(): ApiError {
  return new ApiError("REQUEST_MALFORMED", "the Host header is missing or malformed; need a host");
}

function httpMethodNotAllowed(given: string | undefined): ApiError {
  return new ApiError("HTTP_METHOD_NOT_ALLOWED", `${given} is not allowed; need POST`);
}

function unknownMethod(): ApiError {
  return new ApiError(
    "METHOD_UNKNOWN",
    "no such operation; need /svc.api.v1.BucketUploadsService/ListUploads or " +
      "/svc.api.v1.BucketFoldersService/ListFolderTree",
  );
}
