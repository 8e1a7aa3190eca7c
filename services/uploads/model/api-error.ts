import type { TokenRefusalReason } from "@stowage/access-token";

/**
 * Why a request is refused. Stable: programs read it from `ErrorInfo.reason`; `api/errors.md`
 * says what each means. Tokens are refused for the reasons of the access token library.
 */
export type Reason =
  | TokenRefusalReason
  | "ANSWER_TOO_LARGE"
  | "BODY_ENCODING_UNSUPPORTED"
  | "BODY_MALFORMED"
  | "BODY_TOO_LARGE"
  | "BUCKET_NOT_FOUND"
  | "CANCELLED"
  | "CONTENT_ARCHIVED"
  | "CONTENT_CHANGED"
  | "CONTENT_NOT_HELD"
  | "CONTENT_TYPE_UNSUPPORTED"
  | "CONTENT_UNAVAILABLE"
  | "CURSOR_MISMATCH"
  | "DATABASE_UNAVAILABLE"
  | "DEADLINE_EXCEEDED"
  | "FIELD_INVALID"
  | "FOLDER_NOT_FOUND"
  | "HTTP_METHOD_NOT_ALLOWED"
  | "INTERNAL"
  | "LINK_EXPIRED"
  | "LINK_INVALID"
  | "LIST_TOO_EXPENSIVE"
  | "METHOD_UNKNOWN"
  | "PROTOCOL_VERSION_INVALID"
  | "RATE_LIMIT_EXCEEDED"
  | "REQUEST_MALFORMED"
  | "SERVER_BUSY"
  | "TIMEOUT_INVALID"
  | "TOO_MANY_CALLS"
  | "TREE_TOO_LARGE"
  | "UPLOAD_NOT_FOUND";

/**
 * One fault in one field of a request: the path to the field, what was wrong and what is allowed.
 */
interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** A request that is answered with a refusal. The message is sent to the caller. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly reason: Reason;
  readonly violations: readonly FieldViolation[];
  /** When the caller may try again, if that is known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    reason: Reason,
    message: string,
    options: {
      violations?: readonly FieldViolation[];
      cause?: unknown;
      retryAfterSeconds?: number;
    } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.reason = reason;
    this.violations = options.violations ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Refuses a request for one field. */
export function invalidField(field: string, description: string): ApiError {
  return new ApiError("FIELD_INVALID", `${field}: ${description}`, {
    violations: [{ field, description }],
  });
}

export function uploadNotFound(): ApiError {
  return new ApiError("UPLOAD_NOT_FOUND", "no such upload; need one that you may list");
}
