import type { Writable } from "node:stream";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import type { NodeResponse } from "./request-listener.ts";
import { untilEvent } from "./until-event.ts";

/**
 * Writes a response to its end, no faster than the caller reads. Rejects when making the body
 * fails, and with the signal's reason once it aborts: then the response is not whole.
 *
 * @param signal aborts when the caller goes away, or when its time is up. What makes the body ends
 *   by the same signal on its own.
 */
export async function sendResponse(
  { status, header, body, trailer }: UniversalServerResponse,
  response: NodeResponse,
  signal: AbortSignal,
): Promise<void> {
  // The two kinds of response have the same method with types that do not fit together.
  const writable: Writable = response;
  const chunks = body?.[Symbol.asyncIterator]();
  try {
    // Headers may change until there is a first chunk.
    let chunk = await chunks?.next();
    response.statusCode = status;
    for (const [name, value] of header ?? []) response.setHeader(name, value);
    // Node's HTTP/2 loses the trailers of a response whose headers go out with its end.
    if (trailer !== undefined && "stream" in response) response.writeHead(status);
    while (chunk !== undefined && chunk.done !== true) {
      if (!writable.write(chunk.value)) await untilEvent(response, "drain", signal);
      chunk = await chunks?.next();
    }
    if (trailer !== undefined) response.addTrailers(Object.fromEntries(trailer));
    response.end();
    await untilEvent(response, "finish", signal);
  } finally {
    // Frees what makes the rest. It fails by itself if at all: the caller is gone.
    chunks?.return?.().catch(() => {});
  }
}
