import { Code } from "@connectrpc/connect";
import type { Reason } from "./api-error.ts";

/**
 * The Connect code of every reason, and the HTTP status if it differs from that of the code.
 * A missing reason is a type error. A test compares `api/errors.md` with this table.
 */
export const errorCodes: Record<Reason, { code: Code; httpStatus?: number }> = {
  ALGORITHM_REFUSED: { code: Code.Unauthenticated },
  AUDIENCE_MISMATCH: { code: Code.Unauthenticated },
  CLAIM_INVALID: { code: Code.Unauthenticated },
  ISSUER_MISMATCH: { code: Code.Unauthenticated },
  KEY_UNKNOWN: { code: Code.Unauthenticated },
  SIGNATURE_INVALID: { code: Code.Unauthenticated },
  TOKEN_EXPIRED: { code: Code.Unauthenticated },
  TOKEN_MALFORMED: { code: Code.Unauthenticated },
  TOKEN_MISSING: { code: Code.Unauthenticated },
  TOKEN_NOT_YET_VALID: { code: Code.Unauthenticated },
  TOKEN_REVOKED: { code: Code.Unauthenticated },
  TOKEN_TOO_LARGE: { code: Code.Unauthenticated },

  AUTHORIZATION_DETAIL_MISSING: { code: Code.PermissionDenied },
  LINK_EXPIRED: { code: Code.PermissionDenied },
  LINK_INVALID: { code: Code.PermissionDenied },
  SCOPE_MISSING: { code: Code.PermissionDenied },

  BUCKET_NOT_FOUND: { code: Code.NotFound },
  CONTENT_NOT_HELD: { code: Code.NotFound },
  FOLDER_NOT_FOUND: { code: Code.NotFound },
  UPLOAD_NOT_FOUND: { code: Code.NotFound },

  CONTENT_ARCHIVED: { code: Code.FailedPrecondition },
  CONTENT_CHANGED: { code: Code.Aborted },

  AUTHORIZATION_MALFORMED: { code: Code.InvalidArgument },
  BODY_MALFORMED: { code: Code.InvalidArgument },
  CONTENT_TYPE_UNSUPPORTED: { code: Code.InvalidArgument, httpStatus: 415 },
  CURSOR_MISMATCH: { code: Code.InvalidArgument },
  FIELD_INVALID: { code: Code.InvalidArgument },
  PROTOCOL_VERSION_INVALID: { code: Code.InvalidArgument },
  REQUEST_MALFORMED: { code: Code.InvalidArgument },
  TIMEOUT_INVALID: { code: Code.InvalidArgument },

  BODY_ENCODING_UNSUPPORTED: { code: Code.Unimplemented },
  HTTP_METHOD_NOT_ALLOWED: { code: Code.Unimplemented, httpStatus: 405 },
  METHOD_UNKNOWN: { code: Code.Unimplemented, httpStatus: 404 },

  ANSWER_TOO_LARGE: { code: Code.ResourceExhausted },
  BODY_TOO_LARGE: { code: Code.ResourceExhausted },
  RATE_LIMIT_EXCEEDED: { code: Code.ResourceExhausted },
  LIST_TOO_EXPENSIVE: { code: Code.ResourceExhausted },
  TOO_MANY_CALLS: { code: Code.ResourceExhausted },
  TREE_TOO_LARGE: { code: Code.ResourceExhausted },

  CANCELLED: { code: Code.Canceled },
  DEADLINE_EXCEEDED: { code: Code.DeadlineExceeded },
  CONTENT_UNAVAILABLE: { code: Code.Unavailable },
  DATABASE_UNAVAILABLE: { code: Code.Unavailable },
  DENYLIST_UNAVAILABLE: { code: Code.Unavailable },
  KEY_SET_UNAVAILABLE: { code: Code.Unavailable },
  SERVER_BUSY: { code: Code.Unavailable },
  INTERNAL: { code: Code.Internal },
};

/** Whether the service, or one that it needs, cannot serve calls now. A retry may succeed. */
export function isOutage(reason: Reason): boolean {
  return errorCodes[reason].code === Code.Unavailable;
}
