/** Sends the answers of Connect calls: complete ones, or in chunks while they are made. */
import type { Writable } from "node:stream";
import {
  type BrotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
} from "node:zlib";
import type { DescMessage } from "@bufbuild/protobuf";
import type { Compression } from "@connectrpc/connect/protocol";
import { writeBinary } from "@stowage/api/json/write-binary";
import { untilAborted } from "@stowage/process";
import { chooseEncoding } from "./accept-encoding.ts";
import type { Answer, StreamedAnswer, WriteChunk } from "./handler.ts";
import { type NodeResponse, sendWhole, untilEvent } from "./node-http.ts";

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

/** Sends the complete answer of a call that succeeded. */
export async function sendBytes(
  response: NodeResponse,
  { contentType, content, release = () => {} }: CompleteBody,
  compression: Compression | null,
): Promise<void> {
  if (compression === null || content.length < compressBytesMin) {
    sendWhole(response, 200, { "content-type": contentType }, content);
    // On HTTP/2, the socket may still need the content of a response that has finished.
    if (!("stream" in response)) response.once("finish", release);
    return;
  }
  const compressed = await compression.compress(content);
  release();
  const headers = { "content-type": contentType, "content-encoding": compression.name };
  sendWhole(response, 200, headers, compressed);
}

/** How the caller wants an answer that is sent in chunks. */
interface AnswerForm {
  readonly contentType: string;
  /** For an answer that turns out to have one chunk and is sent complete. */
  readonly compression: Compression | null;
  /** For an answer with more chunks. */
  readonly encoding: StreamEncoding | undefined;
}

/**
 * Sends an answer while `make` writes it, as fast as the caller reads. Settles when all is sent.
 * Rejects as `make` does, and with the signal's reason when it aborts. If the response has begun
 * by then, it is incomplete and must be broken off.
 */
export async function sendInChunks(
  response: NodeResponse,
  form: AnswerForm,
  signal: AbortSignal,
  make: StreamedAnswer["writeJson"],
): Promise<void> {
  // The first chunk waits for the second: most answers have only one and are sent complete.
  let first: Uint8Array<ArrayBuffer> | undefined;
  let body: Body | undefined;
  try {
    await make(async (chunk) => {
      if (first === undefined) {
        first = Uint8Array.from(chunk);
      } else if (body === undefined) {
        body = startBody(response, form, signal);
        await body.write(first);
        await body.write(chunk);
        body.flush();
      } else {
        await body.write(chunk);
      }
    });
    if (body === undefined) {
      const { contentType, compression } = form;
      const content = first ?? new Uint8Array();
      await sendBytes(response, { contentType, content }, compression);
    } else {
      await body.end();
    }
  } finally {
    body?.destroy();
  }
}

interface Body {
  readonly write: WriteChunk;
  /** Sends what the encoder holds back to compress it with later chunks. */
  readonly flush: () => void;
  readonly end: () => Promise<void>;
  readonly destroy: () => void;
}

function startBody(response: NodeResponse, form: AnswerForm, signal: AbortSignal): Body {
  const { contentType, encoding } = form;
  const encoder = encoding?.create();
  response.setHeader("content-type", contentType);
  if (encoding !== undefined) response.setHeader("content-encoding", encoding.name);
  // From here on an error breaks the response off, even if the encoder has not written yet.
  if ("stream" in response) response.writeHead(200);
  else response.writeHead(200);
  const target: Writable = encoder ?? response;
  encoder?.pipe(response);
  return {
    async write(chunk) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      target.write(chunk, (error) => (error ? reject(error) : resolve()));
      await untilAborted(promise, signal);
    },
    flush: () => encoder?.flush(),
    async end() {
      target.end();
      await untilEvent(response, "finish", signal);
    },
    destroy: () => encoder?.destroy(),
  };
}

/** A content coding for answers that are compressed while they are made. */
interface StreamEncoding {
  readonly name: string;
  readonly create: () => Gzip | BrotliCompress;
}

const chunkSize = 64 * 1024;

// In the order of preference. The lines of trees are so similar that higher levels gain almost
// nothing: these make 5 % of the bytes at the speed of a fast network.
const streamEncodings: readonly StreamEncoding[] = [
  {
    name: "br",
    create: () =>
      createBrotliCompress({ chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  },
  { name: "gzip", create: () => createGzip({ chunkSize, level: 3 }) },
];

/** The coding for an Accept-Encoding header, or none. */
export function chooseStreamEncoding(acceptEncoding?: string): StreamEncoding | undefined {
  const names = streamEncodings.map(({ name }) => name);
  const chosen = chooseEncoding(acceptEncoding, names);
  return streamEncodings.find(({ name }) => name === chosen);
}
