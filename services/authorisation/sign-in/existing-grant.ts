/**
 * The grant that a request rests on. Each session has a grant of its own for each client, so that
 * revoking it ends only the tokens of that session. The stored consents outlive it.
 */
import type Provider from "oidc-provider";
import type { Grant, KoaContextWithOIDC } from "oidc-provider";
import type pg from "pg";
import { registeredClient } from "../grants/registered-client.ts";
import { sidOf } from "../model/session.ts";
import { accountIdOf } from "../model/subjects.ts";
import { errors } from "../overrides/library.ts";
import { type Consent, findConsents } from "../store/consents.ts";
import type { GrantReason } from "../store/session-grants.ts";
import { needsOwnGrant, type OwnGrantOptions, ownGrant } from "./own-grant.ts";
import { shareGrant } from "./shared-grant.ts";

/** Finds the grant of this session, or makes one from the stored consents, if there are any. */
export async function existingGrant(
  ctx: KoaContextWithOIDC,
  options: OwnGrantOptions,
): Promise<Grant | undefined> {
  const grant = await sessionGrant(ctx, options.pool);
  if (grant === undefined || !needsOwnGrant(ctx, grant)) return grant;
  return await ownGrant(ctx, grant, options);
}

async function sessionGrant(ctx: KoaContextWithOIDC, pool: pg.Pool): Promise<Grant | undefined> {
  const { provider, session, result, account, client } = ctx.oidc;
  if (session === undefined || account === undefined || client === undefined) return undefined;
  const { accountId } = account;
  const { clientId } = client;
  const ofSession = session.grantIdFor(clientId);
  const grantId = result?.consent?.grantId ?? ofSession;
  const known = await findGrant(provider, grantId, { accountId, clientId });
  const { isFirstParty } = registeredClient(client);
  const given = isFirstParty ? requestedConsents(ctx) : [];
  if (known !== undefined && grantId === ofSession && covers(known, given)) return known;

  const reason = reasonFor(isFirstParty, known);
  const consents =
    reason === "consented"
      ? await findConsents(pool, accountIdOf(accountId) ?? "", clientId)
      : given;
  if (known === undefined && consents.length === 0) return undefined;
  const shared = await shareGrant(
    { provider, pool },
    { sessionUid: session.uid, reason, accountId, clientId },
    { consents, details: null },
  );
  if (shared === "consentNeeded") return undefined;
  if (shared === "sessionEnded") throw new errors.LoginRequired("the session has ended");
  session.sidFor(clientId, sidOf(session.uid, clientId, session.authorizationFor(clientId)));
  return await provider.Grant.find(shared.grantId);
}

function reasonFor(isFirstParty: boolean, known: Grant | undefined): GrantReason {
  if (isFirstParty) return "firstParty";
  return known === undefined ? "consented" : "asked";
}

async function findGrant(
  provider: Provider,
  grantId: string | undefined,
  { accountId, clientId }: { accountId: string; clientId: string },
): Promise<Grant | undefined> {
  const found = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  return found?.accountId === accountId && found.clientId === clientId ? found : undefined;
}

/** What a first-party client asks for: it gets that without a consent. */
function requestedConsents({ oidc }: KoaContextWithOIDC): Consent[] {
  const servers = Object.entries(oidc.resourceServers ?? {}).map(([resource, { scopes }]) => {
    const isKnown = (scope: string) => scopes.has(scope);
    return { resource, scopes: [...oidc.requestParamScopes].filter(isKnown) };
  });
  return [{ resource: "", scopes: [...oidc.requestParamOIDCScopes] }, ...servers].filter(
    (consent) => consent.scopes.length > 0,
  );
}

function covers(grant: Grant, consents: readonly Consent[]): boolean {
  return consents.every(({ resource, scopes }) => {
    const granted = resource === "" ? grant.getOIDCScope() : grant.getResourceScope(resource);
    return scopes.every((scope) => granted.split(" ").includes(scope));
  });
}
