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

/** Sends a response whose content is complete. Does nothing when the caller is gone. */
export function sendWhole(
  response: NodeResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  content: Uint8Array,
): void {
  if ("stream" in response ? response.stream.destroyed : response.destroyed) return;
  const writable: WholeResponse = response;
  writable.writeHead(status, { ...headers, "content-length": content.byteLength });
  writable.end(content);
}

/** What both classes have in common; their own overloads do not fit together. */
interface WholeResponse {
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): unknown;
  end(content: Uint8Array): unknown;
}

/** Ends a response that has begun, so that the caller sees that it is incomplete. */
export function breakOff(response: NodeResponse): void {
  // An HTTP/2 stream that is destroyed without a reason may look complete.
  if ("stream" in response) response.stream.close(http2Constants.NGHTTP2_INTERNAL_ERROR);
  response.destroy();
}

/** Waits for an event. Rejects when the stream fails, and with the signal's reason on abort. */
export async function untilEvent(
  stream: Pick<Writable, "once" | "off">,
  event: "drain" | "finish",
  signal: AbortSignal,
): Promise<void> {
  try {
    await once(stream as Writable, event, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
