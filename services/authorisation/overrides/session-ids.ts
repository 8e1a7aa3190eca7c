/** Which session a token is of: every client is told, so that every token ends with its session. */
import type Provider from "oidc-provider";

/**
 * Has oidc-provider put `sid` into the codes and tokens of all clients, and not only of those that
 * are told of logouts (Back-Channel Logout 1.0 section 2.1).
 */
export function tellSessions(provider: Provider): void {
  Object.assign(provider.Client.prototype, { includeSid: () => true });
}
