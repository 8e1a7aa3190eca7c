/** Reads large trees without stopping the page. */
import { CallError } from "../api/call-error.ts";
import { chunksOf } from "../api/read-chunks.ts";
import { type FolderLevel, type JsonTree, levelOf } from "./folder-level.ts";

/** The reason of the error of a tree that is longer than the page wants. */
export const answerTooLarge = "ANSWER_TOO_LARGE";

/** Reads a tree of at most so many bytes. When it has more, the call is cancelled and fails. */
export async function readTreeWithin(bytesMax: number, response: Response): Promise<JsonTree> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of chunksOf(response)) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      const message = `The answer is longer than ${bytesMax} bytes`;
      throw new CallError("resource_exhausted", message, { reason: answerTooLarge });
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return JSON.parse(text + decoder.decode()) as JsonTree;
}

/** A level of 10,000 folders has 6 MB: to parse it, and to remove what remains, blocks the page. */
const parsedHereBytesMax = 1024 * 1024;

/** Parses larger levels in a worker, which starts more slowly than it parses small ones. */
export async function readLevel(response: Response): Promise<FolderLevel> {
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength <= parsedHereBytesMax) return parseLevel(bytes);
  // After a new release, the file of the worker has another name. Calling again would not help.
  return await levelFromWorker(bytes).catch(() => parseLevel(bytes));
}

export function parseLevel(bytes: ArrayBuffer): FolderLevel {
  return levelOf(JSON.parse(new TextDecoder().decode(bytes)) as JsonTree);
}

async function levelFromWorker(bytes: ArrayBuffer): Promise<FolderLevel> {
  const worker = new Worker(new URL("./level-worker.ts", import.meta.url), { type: "module" });
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<FolderLevel>) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(`The worker has failed: ${message}`));
      worker.postMessage(bytes);
    });
  } finally {
    worker.terminate();
  }
}
