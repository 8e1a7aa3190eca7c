/** Reads what a request brings before anyone looks at it, so that its size has a limit. */
import { IncomingMessage } from "node:http";

/** A token request is a few hundred bytes, one with a token in it a few thousand. */
export const bodyBytesMax = 16 * 1024;

/** Gives the body; undefined when it is too large. Rejects when the caller goes away. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection is still needed for the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > bodyBytesMax) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** The same request with a body that has been read already. */
export function withBody(request: IncomingMessage, body: Buffer): IncomingMessage {
  const { method, url, headers, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const { "transfer-encoding": _, ...rest } = headers;
  const copy = Object.assign(new IncomingMessage(request.socket), {
    ...{ method, url, httpVersion, httpVersionMajor, httpVersionMinor },
    headers: { ...rest, "content-length": String(body.length) },
    complete: true,
  });
  copy.push(body);
  copy.push(null);
  return copy;
}
