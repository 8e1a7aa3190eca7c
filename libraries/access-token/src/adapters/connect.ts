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

/** The properties of a call that gates and interceptors share. */
export type Call = Pick<HandlerContext, "method" | "requestMethod" | "service" | "url">;

/** Spread it into the options of the adapter or router; all three parts are needed. */
export interface ConnectGuard {
  /**
   * Lets authenticated calls through before the body is read. Refuses all others with a
   * ConnectError: `unauthenticated`, `permission_denied`, `unavailable`, or `invalid_argument` if
   * the header is malformed. The error has the header `WWW-Authenticate` (RFC 6750) or
   * `Retry-After`. Its cause, the TokenRefusedError, is not sent to the caller.
   */
  requestGate(context: HandlerContext): Promise<void>;
  /**
   * Keeps all `Authorization` headers, of which Node's `headers` has only the first; `requestGate`
   * refuses calls with several. For Node servers and Express; with Fastify, pass `request.raw`.
   * Not needed for fetch requests.
   */
  contextValues(request: RawRequest): ContextValues;
  /** Translate refusals that handlers throw, such as those of `requireScope`, in the same way. */
  interceptors: Interceptor[];
}

/**
 * Guards every service of a router: only calls with a valid token pass. The option `scope` can be a
 * function of the call, if methods need different scopes.
 *
 * Throws a TypeError for options that are unknown or out of bounds.
 */
export function createConnectGuard(
  validator: AccessTokenValidator,
  options: GuardOptions<Call> = {},
): ConnectGuard {
  const { scope, realm, onRefused } = checkGuardOptions(validator, options);

  /** Returns other errors unchanged: the framework hides them from the caller. */
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
 * Returns the token that a guard has validated: from `context.values` in handlers, from
 * `request.contextValues` in interceptors. Throws an Error if the service is not behind a guard.
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
  description: "The validated access token of the call",
});
const authorizationKey = createContextKey<string | undefined>(undefined, {
  description: "The Authorization headers of the call, as received",
});
