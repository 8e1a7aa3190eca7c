import type { Writable } from "node:stream";
import type { Compression } from "@connectrpc/connect/protocol";
import { untilAborted } from "@stowage/process";
import type { StreamedAnswer, WriteChunk } from "./handler.ts";
import type { NodeResponse } from "./request-listener.ts";
import { sendMessage } from "./send-unary.ts";
import type { StreamEncoding } from "./stream-encodings.ts";
import { untilEvent } from "./until-event.ts";

/** How the caller wants the answer. */
export interface AnswerForm {
  readonly contentType: string;
  /** For an answer that is sent whole. */
  readonly compression: Compression | null;
  /** For an answer that comes in chunks. */
  readonly encoding: StreamEncoding | undefined;
}

/**
 * Sends an answer while `make` writes it, no faster than the caller reads, and settles once all is
 * sent. Rejects as `make` does, and with the signal's reason once it aborts; if the response has
 * begun by then, it is not whole and must be broken off.
 *
 * @param signal aborts when the caller goes away or its time is up.
 */
export async function sendInChunks(
  response: NodeResponse,
  form: AnswerForm,
  signal: AbortSignal,
  make: StreamedAnswer["writeJson"],
): Promise<void> {
  // The first chunk waits for the second: most answers have one only, and are sent whole.
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
      await sendMessage(response, { contentType, content }, compression);
    } else {
      await body.end();
    }
  } finally {
    body?.free();
  }
}

interface Body {
  readonly write: WriteChunk;
  /** Lets go of what is kept back to be compressed with what follows. */
  readonly flush: () => void;
  readonly end: () => Promise<void>;
  readonly free: () => void;
}

function startBody(response: NodeResponse, form: AnswerForm, signal: AbortSignal): Body {
  const { contentType, encoding } = form;
  const encoder = encoding?.create();
  response.setHeader("content-type", contentType);
  if (encoding !== undefined) response.setHeader("content-encoding", encoding.name);
  // From here on the answer is broken off rather than refused, also before the encoder gives any.
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
    free: () => encoder?.destroy(),
  };
}
