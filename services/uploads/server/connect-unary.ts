/**
 * The Connect protocol for unary calls, in JSON and binary protobuf.
 *
 * The framework's own handler writes 64-bit integers as strings, ignores unknown fields and refuses
 * without a reason; the contract asks otherwise. Its pieces are used here: headers, timeouts,
 * compression, error bodies. gRPC and gRPC-Web are served by the framework.
 */
import type { DescMessage, DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import { createHandlerContext, type HandlerContext } from "@connectrpc/connect";
import {
  type Compression,
  compressionNegotiate,
  type UniversalServerRequest,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import {
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  parseTimeout,
  protocolVersion,
} from "@connectrpc/connect/protocol-connect";
import { Refusal } from "../domain/refusal.ts";
import { type Codec, codecOf } from "./codecs.ts";
import { readBody } from "./read-body.ts";
import { messageResponse, refusalResponse } from "./unary-response.ts";

export interface UnaryOptions {
  /** Checks the token; runs before the body is read. */
  readonly authenticate: (context: HandlerContext) => Promise<void>;
  /** The refusal of anything thrown; logs what the caller is not told. */
  readonly refuse: (error: unknown, context: HandlerContext) => Refusal;
  readonly bodyBytesMax: number;
  readonly compressions: Compression[];
}

export type UnaryHandler<Input extends DescMessage, Output extends DescMessage> = (
  request: MessageShape<Input>,
  context: HandlerContext,
) => Promise<MessageShape<Output>>;

/** Serves calls of one method by the Connect protocol. */
export function connectUnary<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  handle: UnaryHandler<Input, Output>,
  options: UnaryOptions,
): (request: UniversalServerRequest) => Promise<UniversalServerResponse> {
  return async (request) => {
    const { header } = request;
    const codec = codecOf(header.get("content-type"));
    const timeout = parseTimeout(header.get("connect-timeout-ms"), Number.MAX_SAFE_INTEGER);
    const compression = compressionNegotiate(
      options.compressions,
      header.get("content-encoding"),
      header.get("accept-encoding"),
      "accept-encoding",
    );
    const context = createHandlerContext({
      method,
      service: method.parent,
      protocolName: "connect",
      requestMethod: request.method,
      url: request.url,
      requestHeader: header,
      requestSignal: request.signal,
    });
    try {
      await options.authenticate(context);
      requireProtocol(header, codec, timeout.error, compression.error);
      context.signal.throwIfAborted();
      const bytes = await readBody(request, compression.request, options);
      const input = codec.read(method.input, bytes);
      const output = await handle(input, context);
      const body = codec.write(method.output, output);
      return await messageResponse(body, codec.contentType, compression.response);
    } catch (error) {
      return refusalResponse(options.refuse(error, context));
    } finally {
      context.abort();
    }
  };
}

function requireProtocol(
  header: Headers,
  codec: Codec | undefined,
  timeoutError: Error | undefined,
  compressionError: Error | undefined,
): asserts codec is Codec {
  if (codec === undefined) {
    throw new Refusal(
      "CONTENT_TYPE_UNSUPPORTED",
      `Content-Type is not supported; need ${contentTypeUnaryJson} or ${contentTypeUnaryProto}`,
    );
  }
  if (header.get("connect-protocol-version") !== protocolVersion) {
    throw new Refusal(
      "PROTOCOL_VERSION_INVALID",
      `Connect-Protocol-Version is missing or different; need ${protocolVersion}`,
    );
  }
  if (timeoutError !== undefined) {
    throw new Refusal("TIMEOUT_INVALID", "Connect-Timeout-Ms is malformed; need 1 to 10 digits");
  }
  if (compressionError !== undefined) {
    throw new Refusal("BODY_ENCODING_UNSUPPORTED", "Content-Encoding is not supported; need gzip");
  }
}
