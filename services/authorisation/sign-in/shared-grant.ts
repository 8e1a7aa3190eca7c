/**
 * The grant of a session and a client. Requests in parallel share it, so that none of them makes
 * the tokens of another one useless.
 */
import type Provider from "oidc-provider";
import type { Grant } from "oidc-provider";
import type pg from "pg";
import type { Consent } from "../store/consents.ts";
import { type GrantPayload, type GrantReason, storeSessionGrant } from "../store/session-grants.ts";

/** Whose grant it is. */
interface GrantOwner {
  sessionUid: string;
  reason: GrantReason;
  accountId: string;
  clientId: string;
}

/** What to add to the grant. */
interface Addition {
  consents: readonly Consent[];
  /** Replaces the limits of the grant; undefined removes them, null keeps them. */
  details: readonly object[] | undefined | null;
}

/** Makes the grant, or adds to it, and returns it. */
export async function shareGrant(
  { provider, pool }: { provider: Provider; pool: pg.Pool },
  owner: GrantOwner,
  { consents, details }: Addition,
): ReturnType<typeof storeSessionGrant> {
  const { accountId, clientId } = owner;
  const grant = new provider.Grant({ accountId, clientId }) as StoredGrant;
  if (details) Object.assign(grant, { rar: details });
  allow(grant, consents);
  const { jti: _, ...payload } = (await grant.getValueAndPayload()).payload;
  return await storeSessionGrant(pool, {
    ...owner,
    payload: details === null ? { ...payload, rar: null } : payload,
    expiresInSeconds: grant.expiration,
  });
}

/** Adds consents to a grant. */
function allow(grant: Grant, consents: readonly Consent[]): void {
  for (const { resource, scopes } of consents) {
    if (resource === "") grant.addOIDCScope(scopes.join(" "));
    else grant.addResourceScope(resource, scopes.join(" "));
  }
}

/** Members that the types of the library leave out. */
type StoredGrant = Grant & {
  readonly expiration: number;
  getValueAndPayload(): Promise<{ payload: GrantPayload & { jti?: string } }>;
};
