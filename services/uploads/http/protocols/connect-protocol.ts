/**
 * The Connect protocol for unary calls, in JSON and binary protobuf.
 *
 * The framework's handler writes 64-bit integers as strings, ignores unknown fields and sends
 * errors without a reason. The contract does not allow that. Only the framework's compression and
 * error bodies are used here.
 */
import {
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { Compression } from "@connectrpc/connect/protocol";
import {
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  parseContentType,
  protocolVersion,
} from "@connectrpc/connect/protocol-connect";
import { compressionGzip } from "@connectrpc/connect-node";
import { JsonTextError, parseJson } from "@stowage/api/json/parse-json";
import { readJson } from "@stowage/api/json/read-json";
import type { Call, Handler } from "../../calls/handler.ts";
import { ApiError } from "../../model/api-error.ts";
import type { NodeRequest, NodeResponse } from "../node-http.ts";
import type { ReportError } from "../report-error.ts";
import type { RunningCall } from "../running-call.ts";
import { chooseEncoding } from "./accept-encoding.ts";
import { readBody } from "./read-body.ts";
import { encodeAnswer, sendBytes } from "./send-answer.ts";
import { sendInChunks, streamEncodings } from "./send-chunks.ts";

export interface UnaryOptions {
  readonly admit: Admit;
  readonly reportError: ReportError;
  readonly bodyBytesMax: number;
}

/**
 * Validates the token and reserves memory before the body is read, and stores the caller in the
 * record of the call.
 */
export type Admit = (request: NodeRequest, call: RunningCall) => Promise<Call>;

/**
 * Serves one call to its end. If it rejects before the answer has begun, the error is answered.
 * Otherwise the answer is broken off.
 */
export type Serve = (
  request: NodeRequest,
  response: NodeResponse,
  call: RunningCall,
) => Promise<void>;

/** Serves the calls of one method that use the Connect protocol. */
export function connectProtocol<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  handler: Handler<Input>,
  { admit, bodyBytesMax }: UnaryOptions,
): Serve {
  return async (request, response, call) => {
    const { signal } = call;
    const admitted = await admit(request, call);
    const { isBinary, compression, accepted } = readHeaders(request);
    signal.throwIfAborted();
    const bytes = await readBody(request, compression, bodyBytesMax, signal);
    const input = isBinary
      ? readBinary(method.input, bytes)
      : readJson(method.input, jsonOf(bytes));

    const answer = await handler(input, admitted);
    const wanted = chooseEncoding(accepted, [compressionGzip]) ?? null;
    if (isBinary) {
      const content = await encodeAnswer(method.output, answer);
      const binary = { contentType: contentTypeUnaryProto, content };
      await sendBytes(response, call, binary, wanted);
    } else if ("json" in answer) {
      const { json: content, release } = answer;
      const json = { contentType: contentTypeUnaryJson, content, release };
      await sendBytes(response, call, json, wanted);
    } else {
      const form = {
        contentType: contentTypeUnaryJson,
        compression: wanted,
        encoding: chooseEncoding(accepted, streamEncodings),
      };
      await sendInChunks(response, call, form, (write) => answer.writeJson(write));
    }
  };
}

function readHeaders({ headers }: NodeRequest): {
  isBinary: boolean;
  compression: Compression | null;
  accepted: string;
} {
  const type = parseContentType(headers["content-type"] ?? null);
  if (type === undefined || type.stream) {
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
  // Content codings ignore case (RFC 9110, section 8.4.1).
  const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  const compression = encoding === compressionGzip.name ? compressionGzip : null;
  if (compression === null && encoding !== "identity") {
    throw new ApiError("BODY_ENCODING_UNSUPPORTED", "Content-Encoding is not supported; need gzip");
  }
  // Without Accept-Encoding, a caller accepts the coding that it sends (the Connect protocol).
  const accepted = headers["accept-encoding"] ?? encoding;
  return { isBinary: type.binary, compression, accepted };
}

function readBinary<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): MessageShape<Desc> {
  try {
    return fromBinary(schema, bytes);
  } catch (cause) {
    throw new ApiError("BODY_MALFORMED", `the body is not a ${schema.typeName}`, { cause });
  }
}

function jsonOf(bytes: Uint8Array) {
  try {
    // A byte order mark stays in the text, where JSON does not allow it.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return parseJson(text);
  } catch (cause) {
    const what = cause instanceof JsonTextError ? cause.message : "the body is not UTF-8";
    throw new ApiError("BODY_MALFORMED", `${what}; need one JSON object`, { cause });
  }
}
