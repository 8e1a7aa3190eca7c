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

/** What a guard needs of Fastify's requests. */
export interface WrappedRequest {
  readonly raw: RawRequest;
}

/** What a guard needs of Fastify's replies. */
export interface WrappedReply {
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  send(body: string): unknown;
}

export interface FastifyGuard<Request extends WrappedRequest> {
  /**
   * A hook that lets authenticated requests through and answers all others. It runs before the body
   * is read. Errors other than refusals go to the app's error handler.
   */
  onRequest(request: Request, reply: WrappedReply): Promise<unknown>;
  /**
   * An error handler that answers the refusals that come from routes, such as those of
   * `requireScope`: status, `WWW-Authenticate` (RFC 6750) or `Retry-After`, and a few words in JSON
   * (RFC 9457). Throws any other error on, to the error handler around.
   */
  errorHandler(error: unknown, request: Request, reply: WrappedReply): unknown;
}

/**
 * Guards the routes that its hook is added to: only requests with a valid token come through. The
 * `Authorization` header is read as it came over the wire, so what other code has put into
 * `request.headers` does not count, and two such headers are refused.
 *
 * Every method is guarded, HEAD and OPTIONS too. A browser asks for permission by OPTIONS without a
 * token (CORS), so what answers that belongs before the guard.
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

/**
 * The token that a guard has found to be valid. Throws an Error if none has, which means that the
 * route is not behind a guard.
 */
export function accessTokenOf({ raw }: WrappedRequest): AccessToken {
  return rememberedToken(raw);
}
