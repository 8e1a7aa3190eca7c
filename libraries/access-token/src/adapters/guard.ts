/** The parts that the guards of all frameworks share. */
import { STATUS_CODES } from "node:http";
import type { AccessToken } from "../access-token.ts";
import { readBearerToken } from "../bearer-token.ts";
import { guardListener } from "../options.ts";
import { checkScope, requireScope } from "../scope.ts";
import type { TokenRefusedError } from "../token-refused-error.ts";
import type { AccessTokenValidator } from "../validator.ts";
import { checkRealm, wwwAuthenticate } from "../www-authenticate.ts";

/** What a guard requires of requests, and how it answers others. */
export interface GuardOptions<Request> {
  /**
   * The scope that a request needs, or a function that returns it. Without this option the guard
   * accepts any valid token, and the code behind it must require scopes.
   */
  scope?: string | ((request: Request) => string);
  /** The protected service, by name, in `WWW-Authenticate`: printable ASCII. Default: `api`. */
  realm?: string;
  /**
   * Called for every refusal before it is answered, for logs and metrics. `error.detail` can quote
   * the token and is not for callers. If the function throws or returns a promise that rejects, the
   * process is warned once, and the refusal is still answered.
   */
  onRefused?: (error: TokenRefusedError, request: Request) => void;
}

/** A copy, so that later changes of the program's object have no effect. */
interface CheckedGuardOptions<Request> {
  readonly scope: GuardOptions<Request>["scope"];
  readonly realm: string | undefined;
  /** Never throws. */
  readonly onRefused: (error: TokenRefusedError, request: Request) => void;
}

/**
 * Throws a TypeError for an option that is unknown, `undefined` or out of bounds: a misspelt or
 * forgotten scope would let any token in.
 */
export function checkGuardOptions<Request>(
  validator: AccessTokenValidator,
  options: GuardOptions<Request>,
): CheckedGuardOptions<Request> {
  check("validator", "an access token validator", typeof validator?.validate === "function");
  for (const [name, value] of Object.entries(options)) {
    const checkOption = Object.hasOwn(optionChecks, name) ? optionChecks[name] : undefined;
    if (checkOption === undefined) throw new TypeError(`Cannot make a guard: no option ${name}`);
    checkOption(value);
  }
  const { scope, realm } = options;
  return { scope, realm, onRefused: guardListener(options.onRefused, "onRefused of a guard") };
}

const optionChecks: Readonly<Record<string, (value: unknown) => void>> = {
  scope: (value) => {
    if (typeof value !== "function") checkScope(value as string);
  },
  realm: (value) => checkRealm(value as string),
  onRefused: (value) => check("onRefused", "a function", typeof value === "function"),
};

function check(name: string, needed: string, holds: boolean): void {
  if (!holds) throw new TypeError(`Cannot make a guard: ${name} must be ${needed}`);
}

/** Validates the token of a request and checks its scope, before the body is read. */
export async function authenticate<Request>(
  authorization: string | undefined,
  request: Request,
  validator: AccessTokenValidator,
  scope: GuardOptions<Request>["scope"],
): Promise<AccessToken> {
  try {
    const token = await validator.validate(readBearerToken(authorization));
    if (scope !== undefined) {
      requireScope(token, typeof scope === "function" ? scope(request) : scope);
    }
    return token;
  } catch (error) {
    if (error instanceof Error) throw error;
    // For Express, `undefined` is no error, and "route" continues behind the guard.
    throw new Error("Cannot authenticate: something other than an Error was thrown", {
      cause: error,
    });
  }
}

/** Anything with Node's flat list of header names and values: requests of HTTP/1.1 and HTTP/2. */
export interface RawRequest {
  readonly rawHeaders: readonly string[];
}

/**
 * The `Authorization` headers as received. Node's `headers` has only the first of several, and a
 * proxy may have used the last one, so the two would see different callers. This joins them with
 * commas, as HTTP does, and several headers are then refused.
 */
export function rawAuthorization({ rawHeaders }: RawRequest): string | undefined {
  const values = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "authorization",
  );
  return values.length === 0 ? undefined : values.join(", ");
}

/** The answer to a refused request over plain HTTP. It contains nothing of the request. */
interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function refusalAnswer(error: TokenRefusedError, realm: string | undefined): RefusalAnswer {
  const { status, message, reason } = error;
  return {
    status,
    headers: { "content-type": "application/problem+json", ...refusalHeaders(error, realm) },
    // RFC 9457: problem details, with the reason as an extension.
    body: JSON.stringify({ title: STATUS_CODES[status], status, detail: message, reason }),
  };
}

/** `WWW-Authenticate` (RFC 6750 section 3), or `Retry-After` for status 503. */
export function refusalHeaders(
  { reason, status, requiredScope, retryAfterSeconds }: TokenRefusedError,
  realm: string | undefined,
): Record<string, string> {
  if (status !== 503) {
    return { "www-authenticate": wwwAuthenticate(reason, { realm, scope: requiredScope }) };
  }
  return retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
}

/** A weak map, because any code could set a property of the request. */
const tokens = new WeakMap<object, AccessToken>();

export function rememberToken(request: object, token: AccessToken): void {
  tokens.set(request, token);
}

export function rememberedToken(request: object): AccessToken {
  const token = tokens.get(request);
  if (token === undefined) throw notAuthenticated();
  return token;
}

/** Thrown if a guard is missing: the request must fail and not count as anonymous. */
export function notAuthenticated(): Error {
  return new Error("Cannot give the access token: no guard has authenticated the request");
}
