/** Routes requests to methods, health checks and the landing page. */
import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import type { AccessToken, AccessTokenValidator } from "@stowage/access-token";
import type { HealthHandler, Logger } from "@stowage/process";
import { ApiError } from "../model/api-error.ts";
import { type Authenticate, authenticateFor, methodPath } from "./authenticate.ts";
import { connectProtocol, type Serve, type UnaryOptions } from "./connect-protocol.ts";
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
import { type CallLimits, openCall } from "./running-call.ts";

/** A method, and how its calls are served in every protocol. */
interface ServedMethod {
  readonly path: string;
  readonly serve: Serve;
}

type MethodOptions = Omit<UnaryOptions, "authenticate"> & {
  readonly validator: AccessTokenValidator;
  /** Rejects a call beyond the rate of its caller. */
  readonly countCall: ((caller: AccessToken) => Promise<void>) | undefined;
};

export function serveMethod<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  handler: Handler<Input>,
  { validator, countCall, ...others }: MethodOptions,
): ServedMethod {
  const authenticate = counting(authenticateFor(method, validator), countCall);
  const options = { ...others, authenticate };
  const connect = connectProtocol(method, handler, options);
  const grpc = grpcProtocols(method, handler, options);
  return {
    path: methodPath(method),
    serve(request, response, call) {
      const serve = grpc(request.headers["content-type"] ?? "") ?? connect;
      return serve(request, response, call);
    },
  };
}

/** Only calls with a valid token are counted: nobody can use up the calls of others. */
function counting(authenticate: Authenticate, countCall: MethodOptions["countCall"]): Authenticate {
  if (countCall === undefined) return authenticate;
  return async (request) => {
    const caller = await authenticate(request);
    await countCall(caller);
    return caller;
  };
}

interface RequestListenerOptions {
  readonly methods: readonly ServedMethod[];
  readonly health: HealthHandler;
  readonly limits: CallLimits;
  readonly logger: Logger;
}

export function createRequestListener(options: RequestListenerOptions): RequestListener {
  const { health, logger, limits } = options;
  const methods = new Map(options.methods.map((method) => [method.path, method]));

  async function answer(request: NodeRequest, response: NodeResponse): Promise<void> {
    const method = methods.get(request.url?.split("?", 1)[0] ?? "");
    if (method === undefined) throw unknownMethod();
    if (request.method !== "POST") {
      response.setHeader("allow", "POST");
      throw httpMethodNotAllowed(request.method);
    }
    if (!hasPlainHost(request)) throw hostMalformed();
    await method.serve(request, response, openCall(request.headers, response, limits));
  }

  function onFailure(error: unknown, request: NodeRequest, response: NodeResponse): void {
    if (response.headersSent || isGone(response)) {
      // The caller is gone, or the rest could not be made. The answer must not look complete.
      logger.debug({ err: error, path: request.url }, "an answer was not completed");
      breakOff(response);
    } else if (error instanceof ApiError) {
      sendErrorAnswer(request, response, error);
    } else {
      logger.error({ err: error, path: request.url }, "a request was not answered");
      sendErrorAnswer(
        request,
        response,
        new ApiError("INTERNAL", "internal error", { cause: error }),
      );
    }
  }

  return (request, response) => {
    acceptAbsoluteForm(request);
    if (health(request, response) || serveLandingPage(request, response)) return;
    answer(request, response).catch((error: unknown) => onFailure(error, request, response));
  };
}

/** A target may be a whole address. Its host then counts (RFC 9112 section 3.2.2). */
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
