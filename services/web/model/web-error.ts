/** What a request can be refused with. Programs read the reason, people the message. */
import { Code } from "@connectrpc/connect";

/** The Connect code of every reason, and the HTTP status if it differs from that of the code. */
export const errorCodes = {
  SESSION_MISSING: { code: Code.Unauthenticated },
  SESSION_ENDED: { code: Code.Unauthenticated },

  ORIGIN_REFUSED: { code: Code.PermissionDenied },

  COOKIE_REPEATED: { code: Code.InvalidArgument },
  PROTOCOL_VERSION_INVALID: { code: Code.InvalidArgument },
  REQUEST_MALFORMED: { code: Code.InvalidArgument },

  ADDRESS_UNKNOWN: { code: Code.NotFound },
  HTTP_METHOD_NOT_ALLOWED: { code: Code.Unimplemented, httpStatus: 405 },
  HOST_REFUSED: { code: Code.PermissionDenied, httpStatus: 421 },

  CONTENT_CHANGED: { code: Code.Aborted },

  BODY_TOO_LARGE: { code: Code.ResourceExhausted },
  TOO_MANY_CALLS: { code: Code.ResourceExhausted },

  CONTENT_UNAVAILABLE: { code: Code.Unavailable },
  DATABASE_UNAVAILABLE: { code: Code.Unavailable },
  ISSUER_UNAVAILABLE: { code: Code.Unavailable },
  UPLOADS_UNAVAILABLE: { code: Code.Unavailable },

  INTERNAL: { code: Code.Internal },
} as const satisfies Record<string, { code: Code; httpStatus?: number }>;

/** Stable: `services/web/README.md` says what each means. */
export type Reason = keyof typeof errorCodes;

/** A request that is answered with a refusal. The message goes to the browser. */
export class WebError extends Error {
  override readonly name = "WebError";
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
