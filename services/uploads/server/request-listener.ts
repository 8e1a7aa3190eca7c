/** From Node's requests to methods and back, for HTTP/1.1 and HTTP/2 alike. */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Http2ServerRequest,
  type Http2ServerResponse,
  constants as http2Constants,
} from "node:http2";
import {
  assertByteStreamRequest,
  type UniversalServerRequest,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import { universalRequestFromNodeRequest } from "@connectrpc/connect-node";
import type { HealthHandler, Logger } from "@stowage/process";
import { Refusal } from "../domain/refusal.ts";
import { type Deadline, readUntilAborted, startDeadline } from "./deadline.ts";
import type { ServedMethod } from "./methods.ts";
import { servePage } from "./page.ts";
import { sendResponse } from "./send-response.ts";
import { refusalResponse } from "./unary-response.ts";

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
    if (method === undefined) return refuse(unknownMethod(), request, response);
    if (request.method !== "POST") {
      response.setHeader("allow", "POST");
      return refuse(httpMethodNotAllowed(request.method), request, response);
    }
    if (!hasPlainHost(request)) return refuse(hostMalformed(), request, response);
    const universalRequest = toUniversal(request, response);
    const deadline = startDeadline(universalRequest.header, timeoutMaxMs);
    try {
      const timed = withDeadline(universalRequest, deadline);
      const answered = await method.serve(timed);
      // Where the time is up before anything was sent, the caller is still told so.
      const { signal } = timed.signal.aborted ? universalRequest : timed;
      await send(answered, request, response, signal);
    } finally {
      deadline.clear();
    }
  }

  return (request, response) => {
    if (health(request, response) || servePage(request, response)) return;
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) {
        // The caller has gone away, or the rest cannot be had. It must not look whole.
        logger.debug({ err: error, path: request.url }, "an answer was not sent to its end");
        breakOff(response);
        return;
      }
      logger.error({ err: error, path: request.url }, "a request was not answered");
      refuse(internal(error), request, response).catch(() => breakOff(response));
    });
  };
}

// On HTTP/2, a stream that is destroyed without a reason may look as if it had ended well.
function breakOff(response: NodeResponse): void {
  if ("stream" in response) response.stream.close(http2Constants.NGHTTP2_INTERNAL_ERROR);
  response.destroy();
}

function internal(cause: unknown): Refusal {
  return new Refusal("INTERNAL", "internal error", { cause });
}

async function send(
  answered: UniversalServerResponse,
  request: NodeRequest,
  response: NodeResponse,
  signal: AbortSignal,
): Promise<void> {
  await sendResponse(answered, response, signal);
  // The answer is whole; what the caller still wants to send on this stream is of no use (RFC 9113
  // section 8.1). On HTTP/1.1 Node reads on, within its time for a request.
  if ("stream" in request && !request.complete) {
    request.stream.close(http2Constants.NGHTTP2_NO_ERROR);
  }
}

function refuse(refusal: Refusal, request: NodeRequest, response: NodeResponse): Promise<void> {
  return send(refusalResponse(refusal), request, response, new AbortController().signal);
}

function toUniversal(request: NodeRequest, response: NodeResponse): UniversalServerRequest {
  const universal = universalRequestFromNodeRequest(request, response, undefined, undefined);
  // Node keeps the first of several Authorization headers; which one counts is not ours to guess.
  const authorizations = request.rawHeaders.filter(
    (_, index, raw) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === "authorization",
  );
  if (authorizations.length > 1) universal.header.set("authorization", authorizations.join(", "));
  return universal;
}

function withDeadline(request: UniversalServerRequest, deadline: Deadline): UniversalServerRequest {
  assertByteStreamRequest(request);
  const signal = AbortSignal.any([request.signal, deadline.signal]);
  return { ...request, signal, body: readUntilAborted(request.body, signal) };
}

// The framework makes an address of it, which fails for `a b`.
function hasPlainHost(request: NodeRequest): boolean {
  const host = "authority" in request ? request.authority : request.headers.host;
  return host !== undefined && URL.canParse(`http://${host}/`);
}

function hostMalformed(): Refusal {
  return new Refusal("REQUEST_MALFORMED", "the Host header is missing or malformed; need a host");
}

function httpMethodNotAllowed(given: string | undefined): Refusal {
  return new Refusal("HTTP_METHOD_NOT_ALLOWED", `${given} is not allowed; need POST`);
}

function unknownMethod(): Refusal {
  return new Refusal(
    "METHOD_UNKNOWN",
    "no such operation; need /svc.api.v1.BucketUploadsService/ListUploads or " +
      "/svc.api.v1.BucketFoldersService/ListFolderTree",
  );
}
