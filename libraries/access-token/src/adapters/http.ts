/** Guards servers of `node:http` and `node:http2`, and apps of Express and similar frameworks. */
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

/** The part of a response that a guard uses: of Node's HTTP/1.1 and HTTP/2, and of Express. */
export interface RawResponse {
  readonly headersSent: boolean;
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** The parts of a guard: the first two for `node:http`, the others for Express. */
export interface HttpGuard<Request extends RawRequest> {
  /**
   * Resolves with the token of a request, from its headers alone. Rejects with TokenRefusedError if
   * the request has no valid token or the token lacks the scope.
   */
  authenticate(request: Request): Promise<AccessToken>;
  /**
   * Answers a refusal: status, `WWW-Authenticate` (RFC 6750) or `Retry-After`, and a short JSON
   * body (RFC 9457). Rethrows the error if it is not a TokenRefusedError, or if the response has
   * begun.
   */
  refuse(error: unknown, request: Request, response: RawResponse): void;
  /**
   * For Express: lets authenticated requests through and answers all others. Errors other than
   * refusals go to `next`. Use it before any middleware that reads the body.
   */
  middleware(request: Request, response: RawResponse, next: (error?: unknown) => void): void;
  /**
   * For Express, after the routes: answers refusals that they throw, such as those of
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
 * Guards the code behind it: only requests with a valid token pass. The guard reads `Authorization`
 * from the raw headers, ignores changes to `request.headers`, and refuses several such headers.
 *
 * Every method is guarded, including HEAD and OPTIONS. CORS preflight requests have no token, so
 * put the code that answers them before the guard.
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
    // Express recognises error middleware by its four parameters.
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

/** Returns the token that a guard has validated. Throws an Error if the route has no guard. */
export function accessTokenOf(request: RawRequest): AccessToken {
  return rememberedToken(request);
}
