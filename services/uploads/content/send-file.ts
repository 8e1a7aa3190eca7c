/** Sends a file, or a range of it, as fast as the caller reads (RFC 9110, sections 13 and 14). */
import type { FileHandle } from "node:fs/promises";
import { untilAborted } from "@stowage/process";
import fresh from "fresh";
import { end, type NodeRequest, type NodeResponse, write, writeHead } from "../http/node-http.ts";
import type { RunningCall } from "../http/running-call.ts";
import { type ByteRange, readRange } from "./byte-range.ts";
import { fileSystemRequests } from "./file-system-requests.ts";
import { FileChangedError, isUnchanged } from "./open-file.ts";

export interface SentFile {
  /** The directory of the source. */
  readonly directory: string;
  readonly file: FileHandle;
  readonly sizeBytes: number;
  readonly updatedAtMicros: bigint;
  /** Besides those that this function sets. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The bytes that are read at once: the memory that a slow reader occupies. A disk in the network
 * may take 5 ms for a read, and the readers of a directory share two.
 */
const readBytes = 512 * 1024;
/** What is sent in one step. Of a longer one, the slowest callers would not read enough in time. */
const stepBytes = 64 * 1024;

/** Settles when all is sent. Throws FileChangedError if the response stays incomplete. */
export async function sendFile(
  request: NodeRequest,
  response: NodeResponse,
  call: RunningCall,
  content: SentFile,
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
  const length = { "content-length": last - first + 1 };
  if (range === undefined) await answer(200, length);
  else await answer(206, { ...length, "content-range": `bytes ${first}-${last}/${sizeBytes}` });
  if (request.method !== "HEAD") await sendBetween(response, call, content, { first, last });
  await finish();
}

interface Validators {
  readonly etag: string;
  readonly "last-modified": string;
}

/** Whether the file is the version that the caller wants, for example to continue a download. */
function isWanted({ headers }: NodeRequest, validators: Validators): boolean {
  const tags = headers["if-match"]?.split(",").map((tag) => tag.trim());
  if (tags !== undefined) return tags.includes("*") || tags.includes(validators.etag);
  const latestMs = Date.parse(headers["if-unmodified-since"] ?? "");
  return Number.isNaN(latestMs) || Date.parse(validators["last-modified"]) <= latestMs;
}

/** Undefined: the whole file. */
function rangeOf(
  { method, headers }: NodeRequest,
  sizeBytes: number,
  etag: string,
): ByteRange | "unsatisfiable" | undefined {
  // Ranges are defined for GET only.
  if (method !== "GET" || headers.range === undefined) return undefined;
  // A date is not a strong validator: a file may have had several contents in one second.
  const condition = headers["if-range"];
  if (condition !== undefined && condition !== etag) return undefined;
  return readRange(headers.range, sizeBytes);
}

async function sendBetween(
  response: NodeResponse,
  call: RunningCall,
  { directory, file, ...indexed }: SentFile,
  { first, last }: ByteRange,
): Promise<void> {
  const answered = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    untilAborted(fileSystemRequests.make(directory, ask), call.signal);
  // One buffer for all reads: a step ends when the operating system has taken its bytes.
  const buffer = Buffer.allocUnsafeSlow(Math.min(readBytes, last - first + 1));
  for (let at = first; at <= last; ) {
    const wanted = Math.min(buffer.length, last - at + 1);
    const { bytesRead } = await answered(() => file.read(buffer, 0, wanted, at));
    if (bytesRead === 0) throw new FileChangedError("the file became shorter while it was sent");
    at += bytesRead;
    // Before the last steps: a caller who has got all bytes would take them for the file.
    if (at > last && !(await answered(() => isUnchanged(file, indexed)))) {
      throw new FileChangedError("the file was changed while it was sent");
    }
    for (let sent = 0; sent < bytesRead; sent += stepBytes) {
      const step = buffer.subarray(sent, Math.min(sent + stepBytes, bytesRead));
      await call.sendStep(step.length, () => write(response, step));
    }
  }
}
