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
import type { ApiError } from "../../model/api-error.ts";
import { errorCodes, isOutage } from "../../model/error-codes.ts";
import { bucketReadScope } from "../authenticate.ts";
import { isCallerGone, type NodeRequest, type NodeResponse, sendBuffered } from "../node-http.ts";

/** The protection space in `WWW-Authenticate`. */
const realm = "stowage";

const retrySoonSeconds = 1;

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

function headersOf({ reason, cause, ...error }: ApiError): Record<string, string> {
  const isRefused = cause instanceof TokenRefusedError;
  const retryAfterSeconds = isRefused ? cause.retryAfterSeconds : error.retryAfterSeconds;
  if (retryAfterSeconds !== undefined) return { "retry-after": `${retryAfterSeconds}` };
  if (isRefused) {
    return { "www-authenticate": wwwAuthenticate(cause.reason, { realm, scope: bucketReadScope }) };
  }
  const isTemporary = isOutage(reason) || reason === "TOO_MANY_CALLS";
  return isTemporary ? { "retry-after": `${retrySoonSeconds}` } : {};
}

/**
 * Sends a Connect error body with its HTTP status. Returns the length of the body: 0 if the caller
 * is gone, for whom nothing is made.
 */
export function sendErrorAnswer(
  request: NodeRequest,
  response: NodeResponse,
  apiError: ApiError,
): number {
  if (isCallerGone(response)) return 0;
  const { code, httpStatus } = errorCodes[apiError.reason];
  const error = connectErrorOf(apiError);
  const headers = { ...Object.fromEntries(error.metadata), "content-type": contentTypeUnaryJson };
  const body = errorToJsonBytes(error, {});
  sendBuffered(response, httpStatus ?? codeToHttpStatus(code), headers, body);
  // The rest of the request is of no use (RFC 9113 section 8.1). On HTTP/1.1, Node reads it within
  // the time limit of a request.
  if ("stream" in request && !request.complete) {
    response.once("finish", () => request.stream.close(http2Constants.NGHTTP2_NO_ERROR));
  }
  return body.length;
}
