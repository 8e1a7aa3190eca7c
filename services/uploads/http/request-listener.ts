/** From Node's requests to methods and back, for HTTP/1.1 and HTTP/2 alike. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { HealthHandler, Logger } from "@stowage/process";
import { ApiError } from "../model/api-error.ts";
import { breakOff, callSignal } from "./call-signal.ts";
import type { ServedMethod } from "./methods.ts";
import { servePage } from "./page.ts";
import { sendRefusal } from "./send-unary.ts";

export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;
export type RequestListener = (request: NodeRequest, response: NodeResponse) => void;

export interface RequestListenerOptions {
  readonly methods: readonly ServedMethod[];
  readonly health: HealthHandler;
  readonly timeoutMaxMs: number;
  readonly logger: Logger;
}

export function createRequestListener(options: RequestListenerOptions): RequestListener {
  const { health, logger, timeoutMaxMs } = options;
  const methods = new Map(options.methods.map((method) => [method.path, method]));

  async function answer(request: NodeRequest, response: NodeResponse): Promise<void> {
    const method = methods.get(request.url?.split("?", 1)[0] ?? "");
    if (method === undefined) throw unknownMethod();
    if (request.method !== "POST") {
      response.setHeader("allow", "POST");
      throw httpMethodNotAllowed(request.method);
    }
    if (!hasPlainHost(request)) throw hostMalformed();
    await method.serve(request, response, callSignal(request.headers, response, timeoutMaxMs));
  }

  function onFailure(error: unknown, request: NodeRequest, response: NodeResponse): void {
    if (response.headersSent || response.destroyed) {
      // The caller has gone away, or the rest cannot be had. It must not look whole.
      logger.debug({ err: error, path: request.url }, "an answer was not sent to its end");
      breakOff(response);
    } else if (error instanceof ApiError) {
      sendRefusal(request, response, error);
    } else {
      logger.error({ err: error, path: request.url }, "a request was not answered");
      sendRefusal(request, response, new ApiError("INTERNAL", "internal error", { cause: error }));
    }
  }

  return (request, response) => {
    if (health(request, response) || servePage(request, response)) return;
    answer(request, response).catch((error: unknown) => onFailure(error, request, response));
  };
}

// An address is made of it, which fails for `a b`.
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
