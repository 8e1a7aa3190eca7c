import type { AccessToken } from "../access-token.ts";

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
