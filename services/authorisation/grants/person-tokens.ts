/** Access tokens that people allow: each is put on record before it is signed. */
import type { AccessToken, KoaContextWithOIDC } from "oidc-provider";
import { narrowDetails } from "../authorization-details/narrow-details.ts";
import { readDetails } from "../authorization-details/read-details.ts";
import { errors } from "../overrides/library.ts";
import type { Person } from "../provider/people.ts";
import { type Authorisation, type Grant, GrantRevokedError } from "../store/authorisations.ts";
import { attachAuthorisation } from "./access-token-form.ts";
import { chooseAudience, isStillForIssuer } from "./choose-audience.ts";
import { registeredClient } from "./registered-client.ts";

/**
 * Records the token that oidc-provider is about to sign, and tells its form what it stands for.
 *
 * @throws errors.InvalidGrant when the grant was revoked meanwhile; errors.InvalidTarget when it is
 *   not for the issuer, and the token would be.
 */
export async function recordPersonToken(
  ctx: KoaContextWithOIDC,
  token: AccessToken,
  recordAuthorisation: (grant: Grant) => Promise<Authorisation>,
): Promise<void> {
  const { provider, params } = ctx.oidc;
  const toIssuerToo = isStillForIssuer(params?.resource, sourceOf(ctx)?.resource, provider.issuer);
  const sessionId = outlivesSession(ctx) ? undefined : token.sid;
  const { clientId, applicationId } = registeredClient(ctx.oidc.client as never);
  const { organisationId } = ctx.oidc.account as Person;
  // What oidc-provider says in its answer, too.
  const scopes = [...grantedOpenIdScopes(ctx), ...token.scopes].filter((scope) => scope !== "");
  token.scope = scopes.join(" ");
  const authorisation = await recordAuthorisation({
    grantType: String(ctx.oidc.params?.grant_type),
    clientId,
    applicationId,
    organisationId,
    subject: token.accountId,
    audience: String(token.aud),
    scopes,
    authorizationDetails: token.rar,
    address: ctx.ip,
    grantId: token.grantId,
    sessionId,
  }).catch((error: Error) => {
    if (error instanceof GrantRevokedError) throw new errors.InvalidGrant("grant not found");
    throw error;
  });
  attachAuthorisation(ctx, authorisation, { sessionId, toIssuerToo });
}

/** What was shown for the token. */
function sourceOf({ oidc }: KoaContextWithOIDC) {
  return oidc.entities.AuthorizationCode ?? oidc.entities.RefreshToken;
}

/** With the scope offline_access, what is refreshed is of no session any more. */
function outlivesSession({ oidc }: KoaContextWithOIDC): boolean {
  const { RefreshToken: refreshToken } = oidc.entities;
  return refreshToken !== undefined && refreshToken.expiresWithSession !== true;
}

function grantedOpenIdScopes(ctx: KoaContextWithOIDC): string[] {
  const asked = ctx.oidc.params?.scope ? ctx.oidc.requestParamScopes : undefined;
  const scopes = asked ?? sourceOf(ctx)?.scopes ?? new Set<string>();
  return ctx.oidc.entities.Grant?.getOIDCScopeFiltered(scopes).split(" ") ?? [];
}

/**
 * @throws errors.InvalidAuthorizationDetails or errors.InvalidTarget for more than was granted; the
 *   scope is checked by oidc-provider itself.
 */
export function checkRefreshRequest({ oidc }: KoaContextWithOIDC): void {
  const { params = {}, entities, provider } = oidc;
  const { authorization_details: details, resource } = params as RefreshParameters;
  const { rar, resource: granted } = entities.RefreshToken ?? {};
  narrowDetails(readDetails(details), rar);
  if (resource === undefined) return;
  chooseAudience(resource, { audiences: [granted ?? []].flat(), issuer: provider.issuer });
  isStillForIssuer(resource, granted, provider.issuer);
}

interface RefreshParameters {
  authorization_details?: string;
  resource?: string | string[];
}
