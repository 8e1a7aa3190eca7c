import { ConnectError } from "@connectrpc/connect";
import { TokenRefusedError, wwwAuthenticate } from "@stowage/access-token";
import { BadRequestSchema, ErrorInfoSchema } from "@stowage/api/google/rpc/error_details_pb";
import type { ApiError } from "../model/api-error.ts";
import { bucketReadScope } from "./authenticate.ts";
import { errorCodes } from "./error-codes.ts";

/** What `WWW-Authenticate` calls the place that tokens are for. */
const realm = "stowage";

/** When callers may come back after an outage or in a rush, in seconds. */
const retryAfterSeconds = 1;

/** The Connect error of a refusal: code, message, details for programs, and HTTP headers. */
export function connectErrorOf(refusal: ApiError): ConnectError {
  const error = new ConnectError(
    // gRPC carries the message percent-encoded, which fails on half a surrogate pair.
    refusal.message.toWellFormed(),
    errorCodes[refusal.reason].code,
    headersOf(refusal),
    [{ desc: ErrorInfoSchema, value: { reason: refusal.reason, domain: "stowage" } }],
    refusal.cause,
  );
  if (refusal.violations.length > 0) {
    const fieldViolations = refusal.violations.map(({ field, description }) => ({
      field,
      description,
    }));
    error.details.push({ desc: BadRequestSchema, value: { fieldViolations } });
  }
  return error;
}

function headersOf(refusal: ApiError): Record<string, string> {
  const { reason, cause } = refusal;
  if (cause instanceof TokenRefusedError) {
    if (cause.retryAfterSeconds !== undefined) {
      return { "retry-after": String(cause.retryAfterSeconds) };
    }
    return { "www-authenticate": wwwAuthenticate(cause.reason, { realm, scope: bucketReadScope }) };
  }
  const mayComeBack = reason === "DATABASE_UNAVAILABLE" || reason === "SERVER_BUSY";
  return mayComeBack ? { "retry-after": String(retryAfterSeconds) } : {};
}
