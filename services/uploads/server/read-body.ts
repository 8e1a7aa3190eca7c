import { Code, ConnectError } from "@connectrpc/connect";
import {
  assertByteStreamRequest,
  type Compression,
  readAllBytes,
  type UniversalServerRequest,
} from "@connectrpc/connect/protocol";
import { Refusal } from "../domain/refusal.ts";

/**
 * The body of a request, decompressed, at most `bodyBytesMax` before and after. Throws `Refusal`
 * BODY_TOO_LARGE or BODY_MALFORMED, and the reason of the request's signal once it has aborted.
 */
export async function readBody(
  request: UniversalServerRequest,
  compression: Compression | null,
  { bodyBytesMax }: { bodyBytesMax: number },
): Promise<Uint8Array> {
  assertByteStreamRequest(request);
  const length = request.header.get("content-length");
  try {
    const bytes = await readAllBytes(request.body, bodyBytesMax, length);
    return compression === null ? bytes : await compression.decompress(bytes, bodyBytesMax);
  } catch (cause) {
    request.signal.throwIfAborted();
    if (!(cause instanceof ConnectError)) throw cause;
    if (cause.code === Code.ResourceExhausted) {
      throw new Refusal("BODY_TOO_LARGE", `the body is over ${bodyBytesMax} bytes`, { cause });
    }
    throw new Refusal("BODY_MALFORMED", "the body does not fit its headers", { cause });
  }
}
