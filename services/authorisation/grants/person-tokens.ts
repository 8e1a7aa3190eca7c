/** Access tokens for people: each is recorded before oidc-provider signs it. */
import type {
  AccessToken,
  Client,
  KoaContextWithOIDC,
  Account as LibraryAccount,
  RefreshToken,
} from "oidc-provider";
import { narrowDetails } from "../authorization-details/narrow-details.ts";
import { readDetails } from "../authorization-details/read-details.ts";
import { errors } from "../overrides/library.ts";
import { leaveSession, outlivesSession } from "../overrides/sid-claim.ts";
import type { StoredAccount } from "../store/accounts.ts";
import {
  GrantRevokedError,
  type NewAuthorisation,
  type RecordAuthorisation,
} from "../store/authorisations.ts";
import { attachAuthorisation, requireShortToken } from "./access-token-claims.ts";
import { registeredClient } from "./registered-client.ts";
import { chooseAudience, isStillForIssuer } from "./scopes-and-audience.ts";

/** A person with an account, as oidc-provider and we see them. */
export interface Person extends LibraryAccount, Omit<StoredAccount, "accountId"> {}

/**
 * Records the token that oidc-provider is about to sign, and attaches the record to the request.
 *
 * @throws errors.InvalidGrant when the grant has been revoked; errors.InvalidTarget when the
 *   request names the issuer and the grant does not
 */
export async function recordPersonToken(
  ctx: KoaContextWithOIDC,
  token: AccessToken,
  recordAuthorisation: RecordAuthorisation,
): Promise<void> {
  const { provider, params } = ctx.oidc;
  const source = sourceOf(ctx);
  const isForIssuerToo = isStillForIssuer(params?.resource, source?.resource, provider.issuer);
  const planned = authorisationOf(ctx, {
    audience: String(token.aud),
    resourceScopes: [...token.scopes],
    authorizationDetails: token.rar,
    sid: outlivesSession(ctx) ? undefined : token.sid,
    grantId: token.grantId,
  });
  // oidc-provider answers with the scopes and details that the token has after this.
  token.scope = planned.scopes.join(" ");
  token.rar = planned.authorizationDetails as AccessToken["rar"];
  // With offline access, the session may have ended between the consent and the exchange.
  const sessionUid = token.expiresWithSession === true ? undefined : token.sessionUid;
  const authorisation = await recordAuthorisation({ ...planned, sessionUid }).catch(
    (error: Error) => {
      if (error instanceof GrantRevokedError) throw new errors.InvalidGrant("grant not found");
      throw error;
    },
  );
  const { sid } = authorisation;
  if (sid === undefined) leaveSession(ctx);
  attachAuthorisation(ctx, authorisation, { sid, isForIssuerToo });
}

/** What the token will grant to the client of the request, on behalf of its person. */
function authorisationOf(
  ctx: KoaContextWithOIDC,
  token: Pick<NewAuthorisation, "audience" | "authorizationDetails" | "sid" | "grantId"> & {
    resourceScopes: readonly string[];
  },
): NewAuthorisation {
  const { resourceScopes, authorizationDetails, ...others } = token;
  const { clientId, applicationId } = registeredClient(ctx.oidc.client as never);
  const { accountId: subject, organisationId, ...person } = ctx.oidc.account as Person;
  return {
    ...others,
    // What the groups of a person of another provider allow by now.
    authorizationDetails: narrowDetails(
      authorizationDetails,
      person.authorizationDetails ?? undefined,
    ),
    grantType: String(ctx.oidc.params?.grant_type),
    clientId,
    applicationId,
    organisationId,
    subject,
    scopes: [...grantedOpenIdScopes(ctx), ...resourceScopes].filter((scope) => scope !== ""),
    address: ctx.ip,
  };
}

/** The code, the device code or the refresh token that the client sent. */
function sourceOf({ oidc: { entities } }: KoaContextWithOIDC) {
  return entities.AuthorizationCode ?? entities.DeviceCode ?? entities.RefreshToken;
}

function grantedOpenIdScopes(ctx: KoaContextWithOIDC): string[] {
  return ctx.oidc.entities.Grant?.getOIDCScopeFiltered(askedScopes(ctx)).split(" ") ?? [];
}

function askedScopes(ctx: KoaContextWithOIDC): Set<string> {
  const asked = ctx.oidc.params?.scope ? ctx.oidc.requestParamScopes : undefined;
  return asked ?? sourceOf(ctx)?.scopes ?? new Set();
}

/** What oidc-provider asks us about a resource server. */
type GetResourceServerInfo = (
  ctx: KoaContextWithOIDC,
  resource: string,
  client: Client,
) => { scope: string };

/**
 * Checks a request before its refresh token is used up. oidc-provider itself has checked before
 * whether the scopes were granted.
 *
 * @throws errors.InvalidAuthorizationDetails, errors.InvalidTarget or errors.InvalidScope for more
 *   than was granted or than the client may have by now, and for a request that leaves open which
 *   one of several resources it is for; errors.InvalidRequest if the token would be too long
 */
export function checkRefresh(
  ctx: KoaContextWithOIDC,
  source: RefreshToken,
  getResourceServerInfo: GetResourceServerInfo,
): void {
  const { client, params, provider } = ctx.oidc;
  const { authorization_details: details, resource } = params as TokenParameters;
  const { issuer } = provider;
  const authorizationDetails = narrowDetails(readDetails(details), source.rar);
  const audiences = [source.resource ?? []].flat();
  const audience = chooseAudience(resource ?? audiences, { audiences, issuer });
  const isForIssuerToo = isStillForIssuer(resource, source.resource, issuer);
  const { scope } = getResourceServerInfo(ctx, audience, client as Client);
  const asked = askedScopes(ctx);
  const allowed = scope.split(" ").filter((each) => asked.has(each));
  const sid = outlivesSession(ctx) ? undefined : source.sid;
  const { Grant: grant } = ctx.oidc.entities;
  const planned = authorisationOf(ctx, {
    audience,
    resourceScopes: grant?.getResourceScopeFiltered(audience, allowed).split(" ") ?? [],
    authorizationDetails,
    sid,
    grantId: source.grantId,
  });
  requireShortToken(planned, { sid, isForIssuerToo }, issuer);
}

interface TokenParameters {
  authorization_details?: string;
  resource?: string | string[];
}
