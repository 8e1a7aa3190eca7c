/** The HTTP responses of unary Connect calls: a message, or the error body of a refusal. */
import {
  type Compression,
  createAsyncIterable,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  errorToJsonBytes,
} from "@connectrpc/connect/protocol-connect";
import type { Refusal } from "../domain/refusal.ts";
import { connectErrorOf } from "../rpc/connect-error.ts";
import { errorCodes } from "../rpc/error-codes.ts";

/** Smaller answers are sent as they are: compressing them costs more than it saves. */
const compressBytesMin = 1024;

/** The response of a call that succeeded. */
export async function messageResponse(
  body: Uint8Array<ArrayBuffer>,
  contentType: string,
  compression: Compression | null,
): Promise<UniversalServerResponse> {
  const header = new Headers({ "content-type": contentType });
  if (compression === null || body.byteLength < compressBytesMin) {
    return responseOf(200, header, body);
  }
  header.set("content-encoding", compression.name);
  return responseOf(200, header, await compression.compress(body));
}

/** The response of a call that was refused: a Connect error body, with its HTTP status. */
export function refusalResponse(refusal: Refusal): UniversalServerResponse {
  const { code, httpStatus } = errorCodes[refusal.reason];
  const error = connectErrorOf(refusal);
  const header = new Headers(error.metadata);
  header.set("content-type", contentTypeUnaryJson);
  return responseOf(httpStatus ?? codeToHttpStatus(code), header, errorToJsonBytes(error, {}));
}

function responseOf(status: number, header: Headers, body: Uint8Array): UniversalServerResponse {
  header.set("content-length", String(body.byteLength));
  return { status, header, body: createAsyncIterable([body]) };
}
