/**
 * The Connect protocol for unary calls, in JSON and binary protobuf, on Node's own requests.
 *
 * The framework's handler writes 64-bit integers as strings, ignores unknown fields and refuses
 * without a reason; the contract asks otherwise. Its pieces are used here: timeouts, compression,
 * error bodies. gRPC and gRPC-Web are served by the framework.
 */
import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import { type Compression, compressionNegotiate } from "@connectrpc/connect/protocol";
import {
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  protocolVersion,
} from "@connectrpc/connect/protocol-connect";
import { ApiError } from "../model/api-error.ts";
import type { Authenticate } from "./authenticate.ts";
import { type Codec, codecOf, encodeAnswer } from "./codecs.ts";
import type { Handler } from "./handler.ts";
import { readBody } from "./read-body.ts";
import type { NodeRequest, NodeResponse } from "./request-listener.ts";
import { sendInChunks } from "./send-in-chunks.ts";
import { sendMessage, sendRefusal } from "./send-unary.ts";
import { chooseEncoding } from "./stream-encodings.ts";

export interface UnaryOptions {
  /** Checks the token; runs before the body is read. */
  readonly authenticate: Authenticate;
  /** The refusal of anything thrown; logs what the caller is not told. */
  readonly refuse: (error: unknown, call: { operation: string; signal: AbortSignal }) => ApiError;
  readonly bodyBytesMax: number;
  readonly compressions: Compression[];
}

/** Serves one call to its end. */
export type Serve = (
  request: NodeRequest,
  response: NodeResponse,
  signal: AbortSignal,
) => Promise<void>;

/** Serves calls of one method by the Connect protocol. */
export function connectUnary<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  handler: Handler<Input>,
  options: UnaryOptions,
): Serve {
  async function serve(request: NodeRequest, response: NodeResponse, signal: AbortSignal) {
    const caller = await options.authenticate(authorizationOf(request));
    const { codec, compression } = readHeaders(request, options.compressions);
    signal.throwIfAborted();
    const { bodyBytesMax } = options;
    const bytes = await readBody(request, compression.request, bodyBytesMax, signal);
    const input = codec.read(method.input, bytes);
    const { contentType } = codec;
    const answer = await handler(input, { caller, signal });
    if (contentType === contentTypeUnaryProto) {
      const content = await encodeAnswer(method.output, answer);
      await sendMessage(response, { contentType, content }, compression.response);
    } else if ("json" in answer) {
      const { json: content } = answer;
      const release = () => answer.release();
      await sendMessage(response, { contentType, content, release }, compression.response);
    } else {
      const encoding = chooseEncoding(request.headers["accept-encoding"]);
      const form = { contentType, compression: compression.response, encoding };
      await sendInChunks(response, form, signal, (write) => answer.writeJson(write));
    }
  }

  return async (request, response, signal) => {
    try {
      await serve(request, response, signal);
    } catch (error) {
      const refusal = options.refuse(error, { operation: method.name, signal });
      if (response.headersSent) throw refusal;
      sendRefusal(request, response, refusal);
    }
  };
}

/**
 * The Authorization header. Several are told as Headers does, with commas between: Node keeps the
 * first, and which one counts is not ours to guess.
 */
export function authorizationOf({ headers, rawHeaders }: NodeRequest): string | undefined {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === "authorization") {
      values.push(rawHeaders[index + 1] ?? "");
    }
  }
  return values.length > 1 ? values.join(", ") : headers.authorization;
}

function readHeaders(
  { headers }: NodeRequest,
  compressions: Compression[],
): { codec: Codec; compression: ReturnType<typeof compressionNegotiate> } {
  const codec = codecOf(headers["content-type"]);
  if (codec === undefined) {
    throw new ApiError(
      "CONTENT_TYPE_UNSUPPORTED",
      `Content-Type is not supported; need ${contentTypeUnaryJson} or ${contentTypeUnaryProto}`,
    );
  }
  if (headers["connect-protocol-version"] !== protocolVersion) {
    throw new ApiError(
      "PROTOCOL_VERSION_INVALID",
      `Connect-Protocol-Version is missing or different; need ${protocolVersion}`,
    );
  }
  const timeout = headers["connect-timeout-ms"];
  if (timeout !== undefined && !/^\d{1,10}$/.test(String(timeout))) {
    throw new ApiError("TIMEOUT_INVALID", "Connect-Timeout-Ms is malformed; need 1 to 10 digits");
  }
  const compression = compressionNegotiate(
    compressions,
    headers["content-encoding"] ?? null,
    headers["accept-encoding"] ?? null,
    "accept-encoding",
  );
  if (compression.error !== undefined) {
    throw new ApiError("BODY_ENCODING_UNSUPPORTED", "Content-Encoding is not supported; need gzip");
  }
  return { codec, compression };
}
