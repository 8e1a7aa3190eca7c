/** Sends content, or a range of it, as fast as the caller reads (RFC 9110, sections 13 and 14). */
import fresh from "fresh";
import { end, type NodeRequest, type NodeResponse, write, writeHead } from "../http/node-http.ts";
import type { RunningCall } from "../http/running-call.ts";
import { type ByteRange, readRange } from "./byte-range.ts";

export interface SentContent {
  readonly sizeBytes: number;
  readonly updatedAtMicros: bigint;
  /** Besides those that this function sets. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * All bytes of the range, in pieces that may be overwritten when the next one is asked for. If
   * the content was changed, it throws instead of the last piece.
   */
  open(range: ByteRange, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** What is sent in one step. Of a longer one, the slowest callers would not read enough in time. */
const stepBytes = 64 * 1024;

/** Settles when all is sent. Throws what reading throws, and the response may be incomplete. */
export async function sendContent(
  request: NodeRequest,
  response: NodeResponse,
  call: RunningCall,
  content: SentContent,
): Promise<void> {
  const { sizeBytes, updatedAtMicros, headers } = content;
  const validators = {
    etag: `"${sizeBytes.toString(36)}-${updatedAtMicros.toString(36)}"`,
    "last-modified": new Date(Number(updatedAtMicros / 1000n)).toUTCString(),
  };
  const common = { ...headers, ...validators, "accept-ranges": "bytes" };
  const answer = (status: number, more: Readonly<Record<string, string | number>>) =>
    call.sendStep(0, async () => writeHead(response, status, { ...common, ...more }));
  const finish = () => call.sendStep(0, () => end(response));

  if (!isWanted(request, validators)) {
    await answer(412, { "content-length": 0 });
    return await finish();
  }
  if (fresh(request.headers, validators)) {
    await answer(304, {});
    return await finish();
  }
  const range = rangeOf(request, sizeBytes, validators.etag);
  if (range === "unsatisfiable") {
    await answer(416, { "content-range": `bytes */${sizeBytes}`, "content-length": 0 });
    return await finish();
  }
  const { first, last } = range ?? { first: 0, last: sizeBytes - 1 };
  const isWithBytes = request.method !== "HEAD";
  const pieces = isWithBytes ? await content.open({ first, last }, call.signal) : undefined;
  const length = { "content-length": last - first + 1 };
  if (range === undefined) await answer(200, length);
  else await answer(206, { ...length, "content-range": `bytes ${first}-${last}/${sizeBytes}` });
  if (pieces !== undefined) await sendPieces(response, call, pieces);
  await finish();
}

interface Validators {
  readonly etag: string;
  readonly "last-modified": string;
}

/** Whether the content is the version that the caller wants, for example to continue a download. */
function isWanted({ headers }: NodeRequest, validators: Validators): boolean {
  const tags = headers["if-match"]?.split(",").map((tag) => tag.trim());
  if (tags !== undefined) return tags.includes("*") || tags.includes(validators.etag);
  const latestMs = Date.parse(headers["if-unmodified-since"] ?? "");
  return Number.isNaN(latestMs) || Date.parse(validators["last-modified"]) <= latestMs;
}

/** Undefined: the whole content. */
function rangeOf(
  { method, headers }: NodeRequest,
  sizeBytes: number,
  etag: string,
): ByteRange | "unsatisfiable" | undefined {
  // Ranges are defined for GET only.
  if (method !== "GET" || headers.range === undefined) return undefined;
  // A date is not a strong validator: it may have had several contents in one second.
  const condition = headers["if-range"];
  if (condition !== undefined && condition !== etag) return undefined;
  return readRange(headers.range, sizeBytes);
}

async function sendPieces(
  response: NodeResponse,
  call: RunningCall,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const bytes of pieces) {
    for (let sent = 0; sent < bytes.length; sent += stepBytes) {
      const step = bytes.subarray(sent, sent + stepBytes);
      await call.sendStep(step.length, () => write(response, step));
    }
  }
}
