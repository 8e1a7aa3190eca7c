/** Guards services of Connect (`@connectrpc/connect`), over Connect, gRPC and gRPC-Web alike. */
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type Interceptor,
} from "@connectrpc/connect";
import type { AccessToken } from "../access-token.ts";
import { TokenRefusedError } from "../token-refused-error.ts";
import type { AccessTokenValidator } from "../validator.ts";
import {
  authenticate,
  checkGuardOptions,
  type GuardOptions,
  notAuthenticated,
  type RawRequest,
  rawAuthorization,
  refusalHeaders,
} from "./guard.ts";

export type { GuardOptions, RawRequest };

/** A call, as gates and interceptors both know it. */
export type Call = Pick<HandlerContext, "method" | "requestMethod" | "service" | "url">;

/** To be spread into the options of the adapter or router; all three parts are needed. */
export interface ConnectGuard {
  /**
   * Lets authenticated calls through, before anything of the body is read, and refuses all others
   * with a ConnectError: `unauthenticated`, `permission_denied`, `unavailable`, or
   * `invalid_argument` for a malformed header. The error carries `WWW-Authenticate` (RFC 6750) or
   * `Retry-After`, and the TokenRefusedError as its cause, which stays in the server.
   */
  requestGate(context: HandlerContext): Promise<void>;
  /**
   * Keeps what Node's headers hide: the second of two `Authorization` headers, for which
   * `requestGate` refuses a call. For servers of Node, and for Express; Fastify's requests have
   * what it needs in `raw`. Fetch requests hide nothing.
   */
  contextValues(request: RawRequest): ContextValues;
  /** Gives refusals that come from handlers, such as those of `requireScope`, the same form. */
  interceptors: Interceptor[];
}

/**
 * Guards every service of a router: only calls with a valid token come through. The option `scope`
 * can be a function of the call, for methods that need different ones.
 *
 * Throws a TypeError for options that are unknown or out of bounds.
 */
export function createConnectGuard(
  validator: AccessTokenValidator,
  options: GuardOptions<Call> = {},
): ConnectGuard {
  const { scope, realm, onRefused } = checkGuardOptions(validator, options);

  /** Any other error as it is: the framework hides it from the caller. */
  function toConnectError(error: unknown, call: Call): unknown {
    if (!(error instanceof TokenRefusedError)) return error;
    onRefused(error, call);
    const headers = refusalHeaders(error, realm);
    return new ConnectError(error.message, codes[error.status], headers, undefined, error);
  }

  async function* withRefusals<T>(messages: AsyncIterable<T>, call: Call): AsyncGenerator<T> {
    try {
      yield* messages;
    } catch (error) {
      throw toConnectError(error, call);
    }
  }

  const translateRefusals: Interceptor = (next) => async (request) => {
    try {
      const response = await next(request);
      if (!response.stream) return response;
      return { ...response, message: withRefusals(response.message, request) };
    } catch (error) {
      throw toConnectError(error, request);
    }
  };

  return Object.freeze<ConnectGuard>({
    async requestGate(context) {
      const { requestHeader, values } = context;
      const authorization = values.get(authorizationKey) ?? requestHeader.get("authorization");
      try {
        const token = await authenticate(authorization ?? undefined, context, validator, scope);
        values.set(tokenKey, token);
      } catch (error) {
        throw toConnectError(error, context);
      }
    },
    contextValues: (request) =>
      createContextValues().set(authorizationKey, rawAuthorization(request)),
    interceptors: [translateRefusals],
  });
}

/**
 * The token that a guard has found to be valid: of `context.values` in handlers, of
 * `request.contextValues` in interceptors. Throws an Error if none has: the service is not behind a
 * guard.
 */
export function accessTokenOf(values: ContextValues): AccessToken {
  const token = values.get(tokenKey);
  if (token === undefined) throw notAuthenticated();
  return token;
}

const codes = {
  400: Code.InvalidArgument,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  503: Code.Unavailable,
} as const satisfies Record<TokenRefusedError["status"], Code>;

const tokenKey = createContextKey<AccessToken | undefined>(undefined, {
  description: "The access token of the call, found to be valid",
});
const authorizationKey = createContextKey<string | undefined>(undefined, {
  description: "The Authorization headers of the call, as they came",
});
