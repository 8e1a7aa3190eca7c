import type { IncomingMessage } from "node:http";
import { WebError } from "../model/web-error.ts";

/** Reads a body. @throws {WebError} if it is larger than `bytesMax`, or does not arrive whole */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const tooLarge = new WebError("BODY_TOO_LARGE", `the body must be at most ${bytesMax} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) throw tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLarge;
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause === tooLarge) throw tooLarge;
    throw new WebError("REQUEST_MALFORMED", "the body did not arrive whole", { cause });
  }
  return Buffer.concat(chunks);
}
