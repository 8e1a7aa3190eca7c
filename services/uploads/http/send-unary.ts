/** Sends the answers of unary Connect calls: a message, or the error body of a refusal. */
import { constants as http2Constants } from "node:http2";
import type { Compression } from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  errorToJsonBytes,
} from "@connectrpc/connect/protocol-connect";
import type { ApiError } from "../model/api-error.ts";
import { connectErrorOf } from "./connect-error.ts";
import { errorCodes } from "./error-codes.ts";
import type { NodeRequest, NodeResponse } from "./request-listener.ts";

/** What a call is answered with. */
export interface UnaryBody {
  readonly contentType: string;
  readonly content: Uint8Array<ArrayBuffer>;
  /** Called when the content has been sent. */
  readonly release?: () => void;
}

/** Smaller answers are sent as they are: compressing them costs more than it saves. */
const compressBytesMin = 1024;

/** Sends the answer of a call that succeeded. */
export async function sendMessage(
  response: NodeResponse,
  { contentType, content, release = () => {} }: UnaryBody,
  compression: Compression | null,
): Promise<void> {
  if (compression === null || content.length < compressBytesMin) {
    send(response, 200, { "content-type": contentType }, content);
    // On HTTP/2, a response that has finished may still be on its way to the socket.
    if (!("stream" in response)) response.once("finish", release);
    return;
  }
  const compressed = await compression.compress(content);
  release();
  const headers = { "content-type": contentType, "content-encoding": compression.name };
  send(response, 200, headers, compressed);
}

/** Sends the refusal of a call: a Connect error body, with its HTTP status. */
export function sendRefusal(request: NodeRequest, response: NodeResponse, refusal: ApiError): void {
  const { code, httpStatus } = errorCodes[refusal.reason];
  const error = connectErrorOf(refusal);
  const headers = { ...Object.fromEntries(error.metadata), "content-type": contentTypeUnaryJson };
  send(response, httpStatus ?? codeToHttpStatus(code), headers, errorToJsonBytes(error, {}));
  // What the caller still wants to send on this stream is of no use (RFC 9113 section 8.1). On
  // HTTP/1.1 Node reads on, within its time for a request.
  if ("stream" in request && !request.complete) {
    response.once("finish", () => request.stream.close(http2Constants.NGHTTP2_NO_ERROR));
  }
}

function send(
  response: NodeResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  content: Uint8Array,
): void {
  // Nobody is there any more.
  if ("stream" in response ? response.stream.destroyed : response.destroyed) return;
  const writable: Writable = response;
  writable.writeHead(status, { ...headers, "content-length": content.byteLength });
  writable.end(content);
}

/** The part of both kinds of response that is used here; their types do not fit together. */
interface Writable {
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): unknown;
  end(content: Uint8Array): unknown;
}
