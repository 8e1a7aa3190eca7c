/** What scopes allow, in words: for the person who is asked to allow it. */

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
