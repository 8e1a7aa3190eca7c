/** How oidc-provider checks client secrets, given that only hashes of them are stored. */
import type Provider from "oidc-provider";
import type { Client, KoaContextWithOIDC } from "oidc-provider";
import {
  generateClientSecret,
  hashClientSecret,
  matchesClientSecret,
} from "../clients/client-secret.ts";

/**
 * Puts the comparison with a hash in place of the one with a plain secret.
 *
 * oidc-provider's author names overriding `compareClientSecret` as the supported way to do it.
 */
export function compareSecretsByHash(provider: Provider): void {
  const prototype = provider.Client.prototype as Client;
  prototype.compareClientSecret = function (presented: string) {
    return matchesClientSecret(presented, this.clientSecret ?? "");
  };
}

/**
 * Middleware: spends on an unknown client the time that comparing a secret takes. Answering faster
 * would tell which clients exist.
 */
export function refuseUnknownClientsSlowly() {
  const decoyHash = hashClientSecret(generateClientSecret());

  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    if (ctx.status === 401 && ctx.oidc?.client === undefined) {
      await matchesClientSecret("not the decoy's secret", await decoyHash);
    }
  };
}
