/**
 * Override: the claim `sid` for every client.
 *
 * oidc-provider adds `sid` (Back-Channel Logout 1.0 section 2.1) only to the codes and tokens of
 * clients that have a logout address. We revoke tokens by `sid`, so that every token ends with its
 * session.
 */
import type Provider from "oidc-provider";

/** Adds `sid` to the codes and tokens of all clients. */
export function includeSessionIds(provider: Provider): void {
  Object.assign(provider.Client.prototype, { includeSid: () => true });
}
