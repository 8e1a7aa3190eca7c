/** From Node's requests to methods and back, for HTTP/1.1 and HTTP/2 alike. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import {
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import type { HealthHandler, Logger } from "@stowage/process";
import { Refusal } from "../domain/refusal.ts";
import { refusalAnswer, respond } from "./connect-unary.ts";
import { clampDeadline } from "./deadline.ts";
import type { ServedMethod } from "./methods.ts";
import { servePage } from "./page.ts";

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
  const { health, logger } = options;
  const methods = new Map(options.methods.map((method) => [method.path, method]));

  async function answer(request: NodeRequest, response: NodeResponse) {
    const method = methods.get(request.url?.split("?", 1)[0] ?? "");
    if (method === undefined) return refuse(unknownMethod());
    if (request.method !== "POST") return refuse(httpMethodNotAllowed(request.method));
    const universalRequest = universalRequestFromNodeRequest(
      request,
      response,
      undefined,
      undefined,
    );
    clampDeadline(universalRequest.header, options.timeoutMaxMs);
    return method.serve(universalRequest);
  }

  return (request, response) => {
    if (health(request, response) || servePage(request, response)) return;
    answer(request, response)
      .then((universalResponse) => universalResponseToNodeResponse(universalResponse, response))
      .catch((error: unknown) => {
        // Most often the caller has gone away. What is not sent whole must not look whole.
        logger.debug({ err: error, path: request.url }, "a response was not sent");
        if (response.headersSent) response.destroy();
        else {
          response.statusCode = 400;
          response.end();
        }
      });
  };
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

async function refuse(refusal: Refusal): Promise<UniversalServerResponse> {
  const response = await respond(refusalAnswer(refusal), null);
  if (refusal.reason === "HTTP_METHOD_NOT_ALLOWED") response.header?.set("allow", "POST");
  return response;
}
