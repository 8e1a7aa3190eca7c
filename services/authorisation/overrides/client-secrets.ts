/**
 * Override: client secrets are compared with stored hashes.
 *
 * oidc-provider compares a presented secret with a stored secret. Its author recommends to override
 * `compareClientSecret` for hashes. It also answers at once when there is nothing to compare: an
 * unknown client, a client without a secret, or no presented secret. That would reveal which
 * clients exist, so all these answers wait until `pad` resolves.
 */
import type Provider from "oidc-provider";
import type { Client, KoaContextWithOIDC } from "oidc-provider";

/** Replaces the comparison. */
export function compareSecretsByHash(
  provider: Provider,
  {
    matches,
    pad,
  }: {
    /** Whether a secret is one of the client's; may reject with a BusyError. */
    matches: (presented: string, client: Client) => Promise<boolean>;
    /** Waits before a failed authentication is answered; gets when the request began. */
    pad: (startedAt: number) => Promise<void>;
  },
): void {
  Object.assign(provider.Client.prototype, {
    compareClientSecret(this: Client, presented: string) {
      return matches(presented, this);
    },
  });
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await next();
    const { error } = (ctx.body ?? {}) as { error?: unknown };
    if (ctx.status === 401 && error === "invalid_client") await pad(startedAt);
  });
}
