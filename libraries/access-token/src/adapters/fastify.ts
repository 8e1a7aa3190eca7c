/** Guards apps of Fastify. */
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

/** The part of Fastify's requests that a guard uses. */
export interface WrappedRequest {
  readonly raw: RawRequest;
}

/** The part of Fastify's replies that a guard uses. */
export interface WrappedReply {
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  send(body: string): unknown;
}

/** The parts of a guard; add both to the app. */
export interface FastifyGuard<Request extends WrappedRequest> {
  /**
   * A hook that lets authenticated requests through and answers all others before the body is read.
   * Errors other than refusals go to the app's error handler.
   */
  onRequest(request: Request, reply: WrappedReply): Promise<unknown>;
  /**
   * An error handler that answers refusals thrown by routes, such as those of `requireScope`:
   * status, `WWW-Authenticate` (RFC 6750) or `Retry-After`, and a short JSON body (RFC 9457).
   * Rethrows other errors to the outer error handler.
   */
  errorHandler(error: unknown, request: Request, reply: WrappedReply): unknown;
}

/**
 * Guards the routes that its hook is added to: only requests with a valid token pass. The guard
 * reads `Authorization` from the raw headers, ignores changes to `request.headers`, and refuses
 * several such headers.
 *
 * Every method is guarded, including HEAD and OPTIONS. CORS preflight requests have no token, so
 * put the code that answers them before the guard.
 *
 * Throws a TypeError for options that are unknown or out of bounds.
 */
export function createFastifyGuard<Request extends WrappedRequest>(
  validator: AccessTokenValidator,
  options: GuardOptions<Request> = {},
): FastifyGuard<Request> {
  const { scope, realm, onRefused } = checkGuardOptions(validator, options);
  const guard: FastifyGuard<Request> = {
    async onRequest(request, reply) {
      try {
        const authorization = rawAuthorization(request.raw);
        const token = await authenticate(authorization, request, validator, scope);
        rememberToken(request.raw, token);
        return undefined;
      } catch (error) {
        return guard.errorHandler(error, request, reply);
      }
    },
    errorHandler(error, request, reply) {
      if (!(error instanceof TokenRefusedError)) throw error;
      onRefused(error, request);
      const { status, headers, body } = refusalAnswer(error, realm);
      reply.code(status);
      reply.headers({ ...headers });
      reply.send(body);
      return reply;
    },
  };
  return Object.freeze(guard);
}

/** Returns the token that a guard has validated. Throws an Error if the route has no guard. */
export function accessTokenOf({ raw }: WrappedRequest): AccessToken {
  return rememberedToken(raw);
}
