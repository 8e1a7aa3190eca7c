/** Node's requests and responses, which HTTP/1.1 and HTTP/2 have in different classes. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Http2ServerRequest,
  type Http2ServerResponse,
  constants as http2Constants,
} from "node:http2";
import type { Writable } from "node:stream";

export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;
export type RequestListener = (request: NodeRequest, response: NodeResponse) => void;

/** Whether the receiver of the response is gone. The response may not be closed yet. */
export function isCallerGone(response: NodeResponse): boolean {
  if ("stream" in response) return response.stream.destroyed;
  return response.destroyed || response.socket?.destroyed === true;
}

/** Whether the response waits behind those of earlier requests of its connection (HTTP/1.1). */
export function isQueued(response: NodeResponse): boolean {
  return !("stream" in response) && response.socket === null;
}

/** Settles when it is the turn of a queued response; not if its connection ends before. */
export async function untilTurn(response: NodeResponse): Promise<void> {
  await once(response, "socket");
}

/** Sends a short response whose content is complete. Does nothing when the caller is gone. */
export function sendBuffered(
  response: NodeResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  content: Uint8Array,
): void {
  if (isCallerGone(response)) return;
  writeHead(response, status, { ...headers, "content-length": content.byteLength });
  writableOf(response).end(content);
}

export function writeHead(
  response: NodeResponse,
  status: number,
  headers: Readonly<Record<string, string | number>> = {},
): void {
  // The types of the two classes do not fit together.
  if ("stream" in response) response.writeHead(status, headers);
  else response.writeHead(status, headers);
}

/** Settles when the operating system, or the flow control of HTTP/2, has accepted the chunk. */
export function write(response: NodeResponse, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    writableOf(response).write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Ends a response, and settles when all of it was accepted. Does not settle if that fails: wait for
 * it in `RunningCall.sendStep`.
 */
export function end(response: NodeResponse, content?: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    writableOf(response).end(content, resolve);
  });
}

function writableOf(response: NodeResponse): Writable {
  return response;
}

/** Ends a response that has begun, so that the caller sees that it is incomplete. */
export function abortResponse(response: NodeResponse): void {
  // An HTTP/2 stream that is destroyed without a reason may look complete.
  if ("stream" in response) response.stream.close(http2Constants.NGHTTP2_INTERNAL_ERROR);
  response.destroy();
}
