/** Sends a file of a directory. */
import type { FileHandle } from "node:fs/promises";
import { untilAborted } from "@stowage/process";
import type { NodeRequest, NodeResponse } from "../http/node-http.ts";
import type { RunningCall } from "../http/running-call.ts";
import type { ByteRange } from "./byte-range.ts";
import { fileSystemRequests } from "./file-system-requests.ts";
import { FileChangedError, isUnchanged } from "./open-file.ts";
import { type SentContent, sendContent } from "./send-content.ts";

export interface SentFile extends Omit<SentContent, "open"> {
  /** The directory of the source. */
  readonly directory: string;
  readonly file: FileHandle;
}

/**
 * The bytes that are read at once: the memory that a slow reader occupies. A disk in the network
 * may take 5 ms for a read, and the readers of a directory share two.
 */
const readBytes = 512 * 1024;

/** Settles when all is sent. Throws FileChangedError if the response stays incomplete. */
export async function sendFile(
  request: NodeRequest,
  response: NodeResponse,
  call: RunningCall,
  content: SentFile,
): Promise<void> {
  const open: SentContent["open"] = async (range, signal) => readBetween(content, range, signal);
  await sendContent(request, response, call, { ...content, open });
}

async function* readBetween(
  { directory, file, ...indexed }: SentFile,
  { first, last }: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const answered = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    untilAborted(fileSystemRequests.make(directory, ask), signal);
  // One buffer for all reads: a step ends when the operating system has taken its bytes.
  const buffer = Buffer.allocUnsafeSlow(Math.min(readBytes, last - first + 1));
  for (let at = first; at <= last; ) {
    const wanted = Math.min(buffer.length, last - at + 1);
    const { bytesRead } = await answered(() => file.read(buffer, 0, wanted, at));
    if (bytesRead === 0) throw new FileChangedError("the file became shorter while it was sent");
    at += bytesRead;
    // Before the last bytes: a caller who has got all of them would take them for the file.
    if (at > last && !(await answered(() => isUnchanged(file, indexed)))) {
      throw new FileChangedError("the file was changed while it was sent");
    }
    yield buffer.subarray(0, bytesRead);
  }
}
