/** Sends answers in chunks while they are made. */
import {
  type BrotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
} from "node:zlib";
import type { Compression } from "@connectrpc/connect/protocol";
import { untilAborted } from "@stowage/process";
import type { StreamedAnswer, WriteChunk } from "../../calls/handler.ts";
import { end, type NodeResponse, writeHead } from "../node-http.ts";
import type { RunningCall } from "../running-call.ts";
import { sendBytes, writeInSteps } from "./send-answer.ts";

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
  call: RunningCall,
  form: AnswerForm,
  make: StreamedAnswer["writeJson"],
): Promise<void> {
  // Holds the first chunk until there is a second: most answers have one and are sent complete.
  let first: Uint8Array<ArrayBuffer> | undefined;
  let body: Body | undefined;
  try {
    await make(async (chunk) => {
      if (first === undefined) {
        first = Uint8Array.from(chunk);
      } else if (body === undefined) {
        body = await startBody(response, call, form);
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
      await sendBytes(response, call, { contentType, content }, compression);
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

async function startBody(
  response: NodeResponse,
  call: RunningCall,
  { contentType, encoding }: AnswerForm,
): Promise<Body> {
  // From here on an error breaks the response off, even if the encoder has not written yet.
  await call.sendStep(0, async () => {
    const headers = { "content-type": contentType };
    if (encoding === undefined) writeHead(response, 200, headers);
    else writeHead(response, 200, { ...headers, "content-encoding": encoding.name });
  });
  if (encoding !== undefined) return encodedBody(response, call, encoding.create());
  return {
    write: (chunk) => writeInSteps(response, call, chunk),
    flush() {},
    end: () => call.sendStep(0, () => end(response)),
    destroy() {},
  };
}

function encodedBody(
  response: NodeResponse,
  call: RunningCall,
  encoder: Gzip | BrotliCompress,
): Body {
  const sendAll = async () => {
    for await (const chunk of encoder) await writeInSteps(response, call, chunk);
    await call.sendStep(0, () => end(response));
  };
  const allSent = sendAll();
  // If the answer fails first, the encoder is destroyed, and nothing waits for this.
  allSent.catch(() => {});
  return {
    async write(chunk) {
      call.signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      encoder.write(chunk, (error) => (error ? reject(error) : resolve()));
      await untilAborted(promise, call.signal);
    },
    flush: () => encoder.flush(),
    async end() {
      encoder.end();
      await allSent;
    },
    destroy: () => encoder.destroy(),
  };
}

/** A content coding for answers that are compressed while they are made. */
interface StreamEncoding {
  readonly name: string;
  readonly create: () => Gzip | BrotliCompress;
}

const chunkSize = 64 * 1024;

// In order of preference. The lines of trees are so similar that higher levels gain almost
// nothing: these compress to 5 % of the size, at the speed of a fast network.
export const streamEncodings: readonly StreamEncoding[] = [
  {
    name: "br",
    create: () =>
      createBrotliCompress({ chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  },
  { name: "gzip", create: () => createGzip({ chunkSize, level: 3 }) },
];
