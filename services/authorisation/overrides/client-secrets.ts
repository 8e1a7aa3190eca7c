/** How oidc-provider checks client secrets, given that only hashes of them are stored. */
import type Provider from "oidc-provider";
import type { Client, KoaContextWithOIDC } from "oidc-provider";
import type { BoundedWork } from "../limits/bounded-work.ts";
import { generateClientSecret, hashClientSecret } from "../model/credentials.ts";
import { matchesSecret } from "../model/scrypt-hash.ts";
import { answerBusy, BusyError } from "./error-answers.ts";

/**
 * Puts the comparison with a hash in place of the one with a plain secret. Where there is nothing
 * to compare, since the client is unknown, has no secret or shows none, it spends the time that it
 * would take: answering faster would tell which clients exist.
 *
 * oidc-provider's author names overriding `compareClientSecret` as the supported way to do it.
 */
export function compareSecretsByHash(provider: Provider, bounded: BoundedWork): void {
  const decoyHash = hashClientSecret(generateClientSecret());

  const prototype = provider.Client.prototype as Client;
  prototype.compareClientSecret = function (presented: string) {
    return bounded(() => matchesSecret(presented, this.clientSecret ?? ""));
  };
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => {
    await next();
    if (ctx.status !== 401 || isCompared(ctx)) return;
    try {
      await bounded(async () => matchesSecret("not the decoy's secret", await decoyHash));
    } catch (error) {
      if (!(error instanceof BusyError)) throw error;
      ctx.remove("WWW-Authenticate");
      answerBusy(ctx, error);
    }
  });
}

/** Whether the client was refused for its secret. */
function isCompared({ headers, oidc }: KoaContextWithOIDC): boolean {
  const isShown = headers.authorization !== undefined || Boolean(oidc?.params?.client_secret);
  return isShown && oidc?.client?.clientSecret !== undefined;
}
