/** Sends complete answers. */
import type { DescMessage } from "@bufbuild/protobuf";
import type { Compression } from "@connectrpc/connect/protocol";
import { writeBinary } from "@stowage/api/json/write-binary";
import type { Answer } from "../../calls/handler.ts";
import { end, type NodeResponse, write, writeHead } from "../node-http.ts";
import { progressBytes, type RunningCall } from "../running-call.ts";

/** A smaller answer is not compressed: that costs more than it saves. */
const compressBytesMin = 1024;

/** The answer as a message in binary protobuf. */
export async function encodeAnswer(
  schema: DescMessage,
  answer: Answer,
): Promise<Uint8Array<ArrayBuffer>> {
  if ("encodeBinary" in answer) return answer.encodeBinary();
  const { json, release } = answer;
  const bytes = writeBinary(schema, JSON.parse(json.toString()), json.length);
  release();
  return bytes;
}

interface CompleteBody {
  readonly contentType: string;
  readonly content: Uint8Array<ArrayBuffer>;
  /** Called when nothing reads the content any more. */
  readonly release?: () => void;
}

/** Sends the complete answer of a call that succeeded. Settles when all is sent. */
export async function sendBytes(
  response: NodeResponse,
  call: RunningCall,
  { contentType, content, release = () => {} }: CompleteBody,
  compression: Compression | null,
): Promise<void> {
  const headers = { "content-type": contentType };
  if (compression === null || content.length < compressBytesMin) {
    await sendComplete(response, call, headers, content);
    // If that failed, Node may still have the content. On HTTP/2, its socket may.
    if (!("stream" in response)) release();
    return;
  }
  const compressed = await compression.compress(content);
  release();
  const encoded = { ...headers, "content-encoding": compression.name };
  await sendComplete(response, call, encoded, compressed);
}

/** Content up to this size, such as most pages, is sent in one step. */
const stepBytesMax = 64 * 1024;

async function sendComplete(
  response: NodeResponse,
  call: RunningCall,
  headers: Readonly<Record<string, string>>,
  content: Uint8Array,
): Promise<void> {
  const inOneStep = content.length <= stepBytesMax;
  await call.sendStep(inOneStep ? content.length : 0, async () => {
    writeHead(response, 200, { ...headers, "content-length": content.length });
    if (inOneStep) await end(response, content);
  });
  if (inOneStep) return;
  await writeInSteps(response, call, content);
  await call.sendStep(0, () => end(response));
}

/** Sends `progressBytes` in each step: what the caller must read in SEND_PROGRESS_MS. */
export async function writeInSteps(
  response: NodeResponse,
  call: RunningCall,
  bytes: Uint8Array,
): Promise<void> {
  for (let at = 0; at < bytes.length; at += progressBytes) {
    const step = bytes.subarray(at, at + progressBytes);
    await call.sendStep(step.length, () => write(response, step));
  }
}
