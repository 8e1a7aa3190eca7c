/** Access tokens for people: each is recorded before oidc-provider signs it. */
import type {
  AccessToken,
  AuthorizationCode,
  DeviceCode,
  KoaContextWithOIDC,
  Account as LibraryAccount,
  RefreshToken,
} from "oidc-provider";
import { narrowDetails } from "../authorization-details/narrow-details.ts";
import { readDetails } from "../authorization-details/read-details.ts";
import { answerWithScopes } from "../overrides/answered-scopes.ts";
import { errors } from "../overrides/library.ts";
import { outlivesSession } from "../overrides/session-ids.ts";
import type { StoredAccount } from "../store/accounts.ts";
import { GrantRevokedError, type RecordAuthorisation } from "../store/authorisations.ts";
import { attachAuthorisation } from "./access-token-claims.ts";
import { chooseAudience, isStillForIssuer } from "./choose-access.ts";
import { registeredClient } from "./registered-client.ts";

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
  const isForIssuerToo = isStillForIssuer(
    params?.resource,
    sourceOf(ctx)?.resource,
    provider.issuer,
  );
  const sessionId = outlivesSession(ctx) ? undefined : token.sid;
  const { clientId, applicationId } = registeredClient(ctx.oidc.client as never);
  const { organisationId } = ctx.oidc.account as Person;
  const scopes = [...grantedOpenIdScopes(ctx), ...token.scopes].filter((scope) => scope !== "");
  answerWithScopes(token, scopes);
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
  attachAuthorisation(ctx, authorisation, { sessionId, isForIssuerToo });
}

/** The code, the device code or the refresh token that the client sent. */
function sourceOf({ oidc: { entities } }: KoaContextWithOIDC) {
  return entities.AuthorizationCode ?? entities.DeviceCode ?? entities.RefreshToken;
}

function grantedOpenIdScopes(ctx: KoaContextWithOIDC): string[] {
  const asked = ctx.oidc.params?.scope ? ctx.oidc.requestParamScopes : undefined;
  const scopes = asked ?? sourceOf(ctx)?.scopes ?? new Set<string>();
  return ctx.oidc.entities.Grant?.getOIDCScopeFiltered(scopes).split(" ") ?? [];
}

/**
 * Checks the authorization details and the resources of a request before its code or refresh token
 * is used up; see overrides/token-consumption.ts. oidc-provider itself checks the scopes in time.
 *
 * @throws errors.InvalidAuthorizationDetails or errors.InvalidTarget for more than was granted, and
 *   for a request that leaves open which one of several resources it is for
 */
export function checkTokenRequest(
  { oidc }: KoaContextWithOIDC,
  { rar, resource: granted }: AuthorizationCode | DeviceCode | RefreshToken,
): void {
  const { authorization_details: details, resource } = oidc.params as TokenParameters;
  const { issuer } = oidc.provider;
  narrowDetails(readDetails(details), rar);
  const audiences = [granted ?? []].flat();
  chooseAudience(resource ?? audiences, { audiences, issuer });
  isStillForIssuer(resource, granted, issuer);
}

interface TokenParameters {
  authorization_details?: string;
  resource?: string | string[];
}
