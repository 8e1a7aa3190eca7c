/**
 * Override: client secrets are compared with stored hashes.
 *
 * oidc-provider compares a presented secret with a stored secret. Its author recommends to override
 * `compareClientSecret` for hashes. It also answers at once when there is nothing to compare: an
 * unknown client, a client without a secret, or no presented secret. That would reveal which
 * clients exist, so those answers take as long as a comparison.
 */
import type Provider from "oidc-provider";
import type { Client, KoaContextWithOIDC } from "oidc-provider";
import { answerBusy, BusyError } from "./error-answers.ts";

/**
 * Replaces the comparison.
 *
 * @param matches compares a secret with a hash; may reject with a BusyError
 * @param decoyHash is compared when there is nothing else to compare
 */
export function compareSecretsByHash(
  provider: Provider,
  matches: (presented: string, hash: string) => Promise<boolean>,
  decoyHash: Promise<string>,
): void {
  const prototype = provider.Client.prototype as Client;
  prototype.compareClientSecret = function (presented: string) {
    return matches(presented, this.clientSecret ?? "");
  };
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => {
    await next();
    if (ctx.status !== 401 || wasCompared(ctx)) return;
    try {
      await matches("not the decoy's secret", await decoyHash);
    } catch (error) {
      if (!(error instanceof BusyError)) throw error;
      ctx.remove("WWW-Authenticate");
      answerBusy(ctx, error);
    }
  });
}

function wasCompared({ headers, oidc }: KoaContextWithOIDC): boolean {
  const isShown = headers.authorization !== undefined || Boolean(oidc?.params?.client_secret);
  return isShown && oidc?.client?.clientSecret !== undefined;
}
