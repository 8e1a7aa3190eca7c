/**
 * The grant that a request rests on. Each session has a grant of its own for each client, so that
 * revoking it ends only the tokens of that session. The stored consents outlive it.
 */
import type Provider from "oidc-provider";
import type { Grant, KoaContextWithOIDC } from "oidc-provider";
import type pg from "pg";
import { registeredClient } from "../grants/registered-client.ts";
import { grantSeconds, type Lifetimes } from "../model/lifetimes.ts";
import { sidOf } from "../model/session.ts";
import { accountIdOf } from "../model/subjects.ts";
import { errors } from "../overrides/library.ts";
import { type Consent, findConsents } from "../store/consents.ts";
import { storeGrant } from "../store/grants.ts";

/** Finds the grant of this session, or makes one from the stored consents, if there are any. */
export async function existingGrant(
  ctx: KoaContextWithOIDC,
  options: { pool: pg.Pool; lifetimes: Lifetimes },
): Promise<Grant | undefined> {
  const { provider, session, result, account, client } = ctx.oidc;
  if (session === undefined || account === undefined || client === undefined) return undefined;
  const { accountId } = account;
  const { clientId } = client;
  const names = { sessionUid: session.uid, accountId, clientId };
  const { isFirstParty } = registeredClient(client);
  const asked = isFirstParty ? requestedConsents(ctx) : [];
  const grantId = result?.consent?.grantId ?? session.grantIdFor(clientId);
  const known = await findGrant(provider, grantId, names);
  const grant =
    known && covers(known, asked)
      ? known
      : await newGrant(provider, { ...names, isFirstParty, asked }, options);
  const part = session.authorizationFor(clientId);
  if (grant !== undefined) session.sidFor(clientId, sidOf(session.uid, clientId, part));
  return grant;
}

async function newGrant(
  provider: Provider,
  request: {
    sessionUid: string;
    accountId: string;
    clientId: string;
    isFirstParty: boolean;
    asked: readonly Consent[];
  },
  { pool, lifetimes }: { pool: pg.Pool; lifetimes: Lifetimes },
): Promise<Grant | undefined> {
  const { isFirstParty, asked, ...names } = request;
  const consents = isFirstParty
    ? asked
    : await findConsents(pool, accountIdOf(names.accountId) ?? "", names.clientId);
  if (consents.length === 0) return undefined;
  const stored = await storeGrant(pool, {
    ...names,
    reason: isFirstParty ? "firstParty" : "consented",
    consents,
    details: null,
    expiresInSeconds: grantSeconds(lifetimes),
  });
  if (stored === "consentNeeded") return undefined;
  if (stored === "sessionEnded") throw new errors.LoginRequired("the session has ended");
  return await provider.Grant.find(stored.grantId);
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
