import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import {
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  parseContentType,
} from "@connectrpc/connect/protocol-connect";
import { JsonTextError, parseJson } from "@stowage/api/json/parse-json";
import { readJson } from "@stowage/api/json/read-json";
import { writeBinary } from "@stowage/api/json/write-binary";
import { ApiError } from "../model/api-error.ts";
import type { Answer } from "./handler.ts";

/** How the messages of a call are written. */
export interface Codec {
  readonly contentType: typeof contentTypeUnaryJson | typeof contentTypeUnaryProto;
  /** Throws `ApiError` BODY_MALFORMED, or `JsonFieldError` for JSON of another schema. */
  read<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): MessageShape<Desc>;
}

/** The codec of a Content-Type; none for one that unary calls do not have. */
export function codecOf(contentType: string | undefined): Codec | undefined {
  const type = parseContentType(contentType ?? null);
  if (type === undefined || type.stream) return undefined;
  return type.binary ? binaryCodec : jsonCodec;
}

const jsonCodec: Codec = {
  contentType: contentTypeUnaryJson,
  read(schema, bytes) {
    return readJson(schema, jsonOf(bytes));
  },
};

const binaryCodec: Codec = {
  contentType: contentTypeUnaryProto,
  read(schema, bytes) {
    try {
      return fromBinary(schema, bytes);
    } catch (cause) {
      throw new ApiError("BODY_MALFORMED", `the body is not a ${schema.typeName}`, { cause });
    }
  },
};

function jsonOf(bytes: Uint8Array) {
  try {
    // A byte order mark stays in the text, where JSON has no place for it.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return parseJson(text);
  } catch (cause) {
    const what = cause instanceof JsonTextError ? cause.message : "the body is not UTF-8";
    throw new ApiError("BODY_MALFORMED", `${what}; need one JSON object`, { cause });
  }
}

/** The answer as a message in binary protobuf. */
export async function encodeAnswer(
  schema: DescMessage,
  answer: Answer,
): Promise<Uint8Array<ArrayBuffer>> {
  if ("encodeBinary" in answer) return answer.encodeBinary();
  const { json } = answer;
  const bytes = writeBinary(schema, JSON.parse(json.toString()), json.length);
  answer.release();
  return bytes;
}
