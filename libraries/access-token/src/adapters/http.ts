/** Guards servers of `node:http` and `node:http2`, and apps of Express and its like. */
import type { IncomingMessage } from "node:http";
import type { AccessToken } from "../access-token.ts";
import { TokenRefusedError } from "../token-refused-error.ts";
import type { AccessTokenValidator } from "../validator.ts";
import {
  authenticate,
  checkGuardOptions,
  type GuardOptions,
  type RawRequest,
  rawAuthorization,
  refusalAnswer,
  rememberedToken,
  rememberToken,
} from "./guard.ts";

export type { GuardOptions, RawRequest };

/** What a guard needs of a response: Node's for HTTP/1.1 and HTTP/2 have it, and Express's. */
export interface RawResponse {
  readonly headersSent: boolean;
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

export interface HttpGuard<Request extends RawRequest> {
  /**
   * The token of a request, from its headers alone. Rejects with TokenRefusedError if the request
   * has no valid token or the token lacks the scope.
   */
  authenticate(request: Request): Promise<AccessToken>;
  /**
   * Answers a refusal: status, `WWW-Authenticate` (RFC 6750) or `Retry-After`, and a few words in
   * JSON (RFC 9457). Throws the error itself if it is not a TokenRefusedError, or if the answer to
   * the request has begun.
   */
  refuse(error: unknown, request: Request, response: RawResponse): void;
  /**
   * For Express: lets authenticated requests through and answers all others. Errors other than
   * refusals go to `next`. To be used before whatever reads the body.
   */
  middleware(request: Request, response: RawResponse, next: (error?: unknown) => void): void;
  /**
   * For Express, after the routes: answers the refusals that come from them, such as those of
   * `requireScope`. Other errors go to `next`.
   */
  errorMiddleware(
    error: unknown,
    request: Request,
    response: RawResponse,
    next: (error?: unknown) => void,
  ): void;
}

/**
 * Guards whatever is behind it: only requests with a valid token come through. The `Authorization`
 * header is read as it came over the wire, so what other code has put into `request.headers` does
 * not count, and two such headers are refused.
 *
 * Every method is guarded, HEAD and OPTIONS too. A browser asks for permission by OPTIONS without a
 * token (CORS), so what answers that belongs before the guard.
 *
 * Throws a TypeError for options that are unknown or out of bounds.
 */
export function createHttpGuard<Request extends RawRequest = IncomingMessage>(
  validator: AccessTokenValidator,
  options: GuardOptions<Request> = {},
): HttpGuard<Request> {
  const { scope, realm, onRefused } = checkGuardOptions(validator, options);
  const guard: HttpGuard<Request> = {
    async authenticate(request) {
      const authorization = rawAuthorization(request);
      const token = await authenticate(authorization, request, validator, scope);
      rememberToken(request, token);
      return token;
    },
    refuse(error, request, response) {
      if (!(error instanceof TokenRefusedError) || response.headersSent) throw error;
      onRefused(error, request);
      const { status, headers, body } = refusalAnswer(error, realm);
      response.statusCode = status;
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.end(body);
    },
    middleware(request, response, next) {
      guard.authenticate(request).then(
        () => next(),
        (error: unknown) => guard.errorMiddleware(error, request, response, next),
      );
    },
    // Express tells error middleware by its four parameters.
    errorMiddleware(error, request, response, next) {
      try {
        guard.refuse(error, request, response);
      } catch (unanswered) {
        next(unanswered);
      }
    },
  };
  return Object.freeze(guard);
}

/**
 * The token that a guard has found to be valid. Throws an Error if none has, which means that the
 * route is not behind a guard.
 */
export function accessTokenOf(request: RawRequest): AccessToken {
  return rememberedToken(request);
}
