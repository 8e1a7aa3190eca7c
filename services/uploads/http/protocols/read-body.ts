import { Code, ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { ApiError } from "../../model/api-error.ts";
import type { NodeRequest } from "../node-http.ts";

/**
 * The body of a request, decompressed. It has at most `bytesMax` before and after that. Throws
 * `ApiError` BODY_TOO_LARGE or BODY_MALFORMED, and the signal's reason when it aborts.
 */
export async function readBody(
  request: NodeRequest,
  compression: Compression | null,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const bytes = await readBytes(request, bytesMax, signal);
  return compression === null ? bytes : decompress(compression, bytes, bytesMax);
}

/** Throws `ApiError` BODY_TOO_LARGE for a longer result, and BODY_MALFORMED. */
export async function decompress(
  compression: Compression,
  bytes: Uint8Array,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await compression.decompress(bytes, bytesMax);
  } catch (cause) {
    if (!(cause instanceof ConnectError)) throw cause;
    // The framework calls a body that ends too early an internal error.
    throw cause.code === Code.ResourceExhausted ? tooLarge(bytesMax) : malformed(cause);
  }
}

function readBytes(
  request: NodeRequest,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytesRead = 0;
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    request.on("data", (chunk: Buffer) => {
      bytesRead += chunk.byteLength;
      // The rest of a body that is too large is read and dropped.
      if (bytesRead <= bytesMax) chunks.push(chunk);
      else reject(tooLarge(bytesMax));
    });
    request.once("end", () => {
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks));
    });
    request.once("error", (cause) => reject(malformed(cause)));
    if (Number(request.headers["content-length"]) > bytesMax) reject(tooLarge(bytesMax));
  });
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError("BODY_TOO_LARGE", `the body is over ${bytesMax} bytes`);
}

function malformed(cause: unknown): ApiError {
  return new ApiError("BODY_MALFORMED", "the body does not fit its headers", { cause });
}
