import { Code, ConnectError } from "@connectrpc/connect";
import {
  assertByteStreamRequest,
  type Compression,
  readAllBytes,
  type UniversalServerRequest,
} from "@connectrpc/connect/protocol";
import { untilAborted } from "@stowage/process";
import { Refusal } from "../domain/refusal.ts";

/**
 * The body of a request, decompressed, at most `bodyBytesMax` before and after. Throws `Refusal`
 * BODY_TOO_LARGE or BODY_MALFORMED, and the signal's reason when it aborts before the body is there.
 */
export async function readBody(
  request: UniversalServerRequest,
  compression: Compression | null,
  signal: AbortSignal,
  { bodyBytesMax }: { bodyBytesMax: number },
): Promise<Uint8Array> {
  assertByteStreamRequest(request);
  const length = request.header.get("content-length");
  try {
    // A caller that sends its body slowly must not outlast its deadline.
    const bytes = await untilAborted(readAllBytes(request.body, bodyBytesMax, length), signal);
    return compression === null ? bytes : await compression.decompress(bytes, bodyBytesMax);
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof ConnectError)) throw cause;
    if (cause.code === Code.ResourceExhausted) {
      throw new Refusal("BODY_TOO_LARGE", `the body is over ${bodyBytesMax} bytes`, { cause });
    }
    throw new Refusal("BODY_MALFORMED", "the body does not fit its headers", { cause });
  }
}
