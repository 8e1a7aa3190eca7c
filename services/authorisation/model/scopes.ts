import { errors } from "../overrides/library.ts";
/** The scopes of OpenID Connect, which every client that acts for people may ask for. */
export const openIdScopes: readonly string[] = ["openid", "profile", "offline_access"];

/**
 * Gives the scopes of a token, each once, with `always` among them where it is given.
 *
 * @param requested the `scope` parameter, as sent, its syntax checked; none: all that is allowed.
 * @throws errors.InvalidScope for a scope that the client is not allowed (RFC 6749 section 5.2).
 */
export function chooseScopes(
  requested: string | undefined,
  allowed: readonly string[],
  always?: string,
): string[] {
  const granted = new Set(requested?.split(" ") ?? allowed);
  if (always !== undefined) granted.add(always);
  for (const scope of granted) {
    if (scope !== always && !allowed.includes(scope)) {
      throw new errors.InvalidScope("the client is not allowed a requested scope", scope);
    }
  }
  return [...granted];
}

const sentences = new Map([
  ["openid", "Know who you are"],
  ["profile", "See your name and login name"],
  ["offline_access", "Go on when you have signed out"],
  ["upl:bucket:read", "See the uploads and folders of your organisation"],
]);

/** A sentence for each scope; one that we know nothing of is named. */
export function describeScopes(scopes: readonly string[]): string[] {
  return scopes.map((scope) => sentences.get(scope) ?? `Use the right “${scope}”`);
}

/** Present in every token of a service account, so that a resource server can tell. */
export const serviceAccountScope = "service_account";
