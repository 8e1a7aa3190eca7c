import { guardListener } from "../guard-listener.ts";
import { checkScope } from "../scope.ts";
import type { TokenRefusedError } from "../token-refused-error.ts";
import type { AccessTokenValidator } from "../validator.ts";
import { checkRealm } from "../www-authenticate.ts";

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
export interface CheckedGuardOptions<Request> {
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
