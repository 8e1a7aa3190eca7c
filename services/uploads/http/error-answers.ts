/** Error answers: Connect errors for every protocol, and the HTTP response of a Connect call. */
import { constants as http2Constants } from "node:http2";
import { ConnectError } from "@connectrpc/connect";
import {
  codeToHttpStatus,
  contentTypeUnaryJson,
  errorToJsonBytes,
} from "@connectrpc/connect/protocol-connect";
import { TokenRefusedError, wwwAuthenticate } from "@stowage/access-token";
import { BadRequestSchema, ErrorInfoSchema } from "@stowage/api/google/rpc/error_details_pb";
import type { ApiError } from "../model/api-error.ts";
import { bucketReadScope } from "./authenticate.ts";
import { errorCodes } from "./error-codes.ts";
import { type NodeRequest, type NodeResponse, sendWhole } from "./node-http.ts";

/** The protection space in `WWW-Authenticate`. */
const realm = "stowage";

/** When a caller may try again after an outage or an overload. */
const retryAfterSeconds = 1;

/** The Connect error of an API error: code, message, details for programs, and HTTP headers. */
export function connectErrorOf(apiError: ApiError): ConnectError {
  const { reason, message, violations, cause } = apiError;
  const error = new ConnectError(
    // gRPC percent-encodes the message, which fails on half a surrogate pair.
    message.toWellFormed(),
    errorCodes[reason].code,
    headersOf(apiError),
    [{ desc: ErrorInfoSchema, value: { reason, domain: "stowage" } }],
    cause,
  );
  if (violations.length > 0) {
    const fieldViolations = violations.map(({ field, description }) => ({ field, description }));
    error.details.push({ desc: BadRequestSchema, value: { fieldViolations } });
  }
  return error;
}

function headersOf({ reason, cause }: ApiError): Record<string, string> {
  if (cause instanceof TokenRefusedError) {
    if (cause.retryAfterSeconds !== undefined) {
      return { "retry-after": String(cause.retryAfterSeconds) };
    }
    return { "www-authenticate": wwwAuthenticate(cause.reason, { realm, scope: bucketReadScope }) };
  }
  const mayRetry = reason === "DATABASE_UNAVAILABLE" || reason === "SERVER_BUSY";
  return mayRetry ? { "retry-after": String(retryAfterSeconds) } : {};
}

/** Sends a Connect error body with its HTTP status. */
export function sendErrorAnswer(
  request: NodeRequest,
  response: NodeResponse,
  apiError: ApiError,
): void {
  const { code, httpStatus } = errorCodes[apiError.reason];
  const error = connectErrorOf(apiError);
  const headers = { ...Object.fromEntries(error.metadata), "content-type": contentTypeUnaryJson };
  sendWhole(response, httpStatus ?? codeToHttpStatus(code), headers, errorToJsonBytes(error, {}));
  // The rest of the request is of no use (RFC 9113 section 8.1). On HTTP/1.1, Node reads it within
  // the time limit of a request.
  if ("stream" in request && !request.complete) {
    response.once("finish", () => request.stream.close(http2Constants.NGHTTP2_NO_ERROR));
  }
}
