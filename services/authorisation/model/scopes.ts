/** The scopes that the service itself knows. */

/** The scopes of OpenID Connect. Every client that acts for people may ask for them. */
export const openIdScopes: readonly string[] = ["openid", "profile", "email", "offline_access"];

/** In every token of a service account, so that resource servers can tell. */
export const serviceAccountScope = "service_account";

const sentences = new Map([
  ["openid", "Know who you are"],
  ["profile", "See your name and login name"],
  ["email", "See your e-mail address"],
  ["offline_access", "Continue when you have signed out"],
  ["upl:bucket:read", "See the uploads and folders of your organisation"],
]);

/** What the scopes allow, a sentence each, for the consent page. */
export function describeScopes(scopes: readonly string[]): string[] {
  return scopes.map((scope) => sentences.get(scope) ?? `Use the right “${scope}”`);
}
