/**
 * The grant that a request rests on. Each session has a grant of its own for each client, so that
 * revoking it ends only the tokens of that session. The stored consents outlive it.
 */
import type { Grant, KoaContextWithOIDC } from "oidc-provider";
import type { Consent } from "../store/consents.ts";

/** Finds the grant of this session, or makes one from the stored consents, if there are any. */
export async function existingGrant(
  ctx: KoaContextWithOIDC,
  findConsents: (accountId: string, clientId: string) => Promise<Consent[]>,
): Promise<Grant | undefined> {
  const { provider, session, result, account, client } = ctx.oidc;
  if (account === undefined || client === undefined) return undefined;
  const { accountId } = account;
  const { clientId } = client;
  const grantId = result?.consent?.grantId ?? session?.grantIdFor(clientId);
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  if (known?.accountId === accountId && known.clientId === clientId) return known;

  const consents = await findConsents(accountId, clientId);
  if (consents.length === 0) return undefined;
  const grant = new provider.Grant({ accountId, clientId });
  allow(grant, consents);
  await grant.save();
  return grant;
}

/** Adds consents to a grant. */
export function allow(grant: Grant, consents: readonly Consent[]): void {
  for (const { resource, scopes } of consents) {
    if (resource === "") grant.addOIDCScope(scopes.join(" "));
    else grant.addResourceScope(resource, scopes.join(" "));
  }
}
