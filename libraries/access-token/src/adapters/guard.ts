import { STATUS_CODES } from "node:http";
import type { AccessToken } from "../access-token.ts";
import { readBearerToken } from "../bearer-token.ts";
import { guardListener } from "../options.ts";
import { checkScope, requireScope } from "../scope.ts";
import type { TokenRefusedError } from "../token-refused-error.ts";
import type { AccessTokenValidator } from "../validator.ts";
import { checkRealm, wwwAuthenticate } from "../www-authenticate.ts";

/** How a guard treats requests. */
export interface GuardOptions<Request> {
  /**
   * The scope that a request needs, or what tells it from the request. Without this option any
   * valid token will do, and what it allows is for the code behind the guard to require.
   */
  scope?: string | ((request: Request) => string);
  /** What tokens are for, by name, in `WWW-Authenticate`: printable ASCII. Default: `api`. */
  realm?: string;
  /**
   * Called for every refusal before it is answered: for logs and metrics. `error.detail` can quote
   * the token, and is not for callers. If it throws, or gives a promise that rejects, the process
   * is warned once, and refusals are answered all the same.
   */
  onRefused?: (error: TokenRefusedError, request: Request) => void;
}

/** A copy, so that what the program does with its own object changes nothing. */
interface CheckedGuardOptions<Request> {
  readonly scope: GuardOptions<Request>["scope"];
  readonly realm: string | undefined;
  /** Safe to call: its failing must not keep a refusal from being answered. */
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
  const onRefused = guardListener(options.onRefused, {
    name: "onRefused",
    what: "a refusal",
    code: "GUARD_LISTENER_FAILED",
  });
  return { scope, realm, onRefused };
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

/** What every guard does with a request before anything of its body is read. */
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
    // To Express, `undefined` is no error and "route" means to go on behind the guard.
    throw new Error("Cannot authenticate: what was thrown is no Error", { cause: error });
  }
}

/** Anything with Node's flat list of header names and values: requests of HTTP/1.1 and HTTP/2. */
export interface RawRequest {
  readonly rawHeaders: readonly string[];
}

/**
 * The `Authorization` headers as they came. Node's `headers` has only the first of several, and a
 * proxy in front may have looked at the last: each would see another caller. Joined as HTTP joins
 * headers, several are refused.
 */
export function rawAuthorization({ rawHeaders }: RawRequest): string | undefined {
  const values = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "authorization",
  );
  return values.length === 0 ? undefined : values.join(", ");
}

/** What a refusal is answered with over plain HTTP. Nothing of it comes from the request. */
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

/** RFC 6750 section 3 for what the caller can mend; when to come back for what it cannot. */
export function refusalHeaders(
  { reason, status, requiredScope, retryAfterSeconds }: TokenRefusedError,
  realm: string | undefined,
): Record<string, string> {
  if (status !== 503) {
    return { "www-authenticate": wwwAuthenticate(reason, { realm, scope: requiredScope }) };
  }
  return retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
}

/** Beside the requests and not on them, where any code could set a token. */
const tokens = new WeakMap<object, AccessToken>();

export function rememberToken(request: object, token: AccessToken): void {
  tokens.set(request, token);
}

export function rememberedToken(request: object): AccessToken {
  const token = tokens.get(request);
  if (token === undefined) throw notAuthenticated();
  return token;
}

/** A guard was forgotten: the request must fail, and not look like one of nobody. */
export function notAuthenticated(): Error {
  return new Error("Cannot give the access token: no guard has authenticated the request");
}
