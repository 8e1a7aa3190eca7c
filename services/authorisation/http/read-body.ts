/** Reads the body of a request, up to a limit, before the provider sees the request. */
import { IncomingMessage } from "node:http";
import { errorText } from "@stowage/process";

/** A token request is a few hundred bytes, one with a token in it a few thousand. */
export const bodyBytesMax = 16 * 1024;

/** The connection ended before the request did. */
export class IncompleteRequestError extends Error {
  override readonly name = "IncompleteRequestError";
}

/**
 * Returns the body; undefined if it is too large.
 *
 * @throws {IncompleteRequestError}
 */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The answer needs the connection, so reading must not close it.
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Buffer).length;
      if (bytes > bodyBytesMax) return undefined;
      chunks.push(chunk as Buffer);
    }
  } catch (cause) {
    throw new IncompleteRequestError(errorText(cause), { cause });
  }
  return Buffer.concat(chunks);
}

/** The same request with another body. */
export function withBody(request: IncomingMessage, body: Buffer): IncomingMessage {
  const { method, url, headers, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const { "transfer-encoding": _, ...rest } = headers;
  const copy = Object.assign(new IncomingMessage(request.socket), {
    method,
    url,
    httpVersion,
    httpVersionMajor,
    httpVersionMinor,
    headers: { ...rest, "content-length": String(body.length) },
    complete: true,
  });
  copy.push(body);
  copy.push(null);
  return copy;
}
