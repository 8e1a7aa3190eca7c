/**
 * Override: client secrets are compared with stored hashes.
 *
 * oidc-provider compares a presented secret with a stored secret. There is no hook: its author
 * recommends to override `compareClientSecret` for hashes.
 */
import type Provider from "oidc-provider";
import type { Client } from "oidc-provider";

/**
 * Replaces the comparison.
 *
 * @param matches whether a secret is one of the client's; may reject with a BusyError
 */
export function compareSecretsByHash(
  provider: Provider,
  matches: (presented: string, client: Client) => Promise<boolean>,
): void {
  Object.assign(provider.Client.prototype, {
    compareClientSecret(this: Client, presented: string) {
      return matches(presented, this);
    },
  });
}
