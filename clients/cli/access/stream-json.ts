/** A call whose answer is passed on as the service sends it, in JSON, whatever its size. */
import type { DescMessage, DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import { createTransport } from "@connectrpc/connect/protocol-connect";
import { createNodeHttpClient } from "@connectrpc/connect-node";
import type { ConnectionOptions } from "./choose-access.ts";
import { transportOptions } from "./connection.ts";

/** Resolves with the JSON text once the call has succeeded. Reading it may still fail. */
export async function streamJson<Input extends DescMessage>(
  method: DescMethodUnary<Input, DescMessage>,
  message: MessageShape<Input>,
  options: ConnectionOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const send = createNodeHttpClient({ httpVersion: "1.1" });
  const common = await transportOptions(options);
  const failed = new AbortController();
  // The signal of the call aborts when it has succeeded, before the text is read.
  const signal = AbortSignal.any([failed.signal, AbortSignal.timeout(common.defaultTimeoutMs)]);
  let text: AsyncIterable<Uint8Array> = emptyMessage();
  const transport = createTransport({
    ...common,
    useBinaryFormat: false,
    acceptCompression: [],
    sendCompression: null,
    ...{ readMaxBytes: bytesMax, writeMaxBytes: bytesMax, compressMinBytes: bytesMax },
    async httpClient(request) {
      const response = await send({ ...request, signal });
      if (response.status !== 200) return response;
      text = response.body;
      const header = new Headers(response.header);
      header.delete("content-length");
      // The transport would read the whole answer into memory.
      return { ...response, header, body: emptyMessage() };
    },
  });
  try {
    await transport.unary(method, undefined, undefined, undefined, message);
  } catch (error) {
    failed.abort();
    throw error;
  }
  return text;
}

/** For requests and error answers, which are small. */
const bytesMax = 1024 * 1024;

async function* emptyMessage(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode("{}");
}
