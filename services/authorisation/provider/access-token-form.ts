/** The form of an access token: its header and claims are exactly these, whatever the grant. */
import type {
  AccessToken,
  ClientCredentials,
  JWTStructured,
  KoaContextWithOIDC,
} from "oidc-provider";
import type { Authorisation } from "../store/record-authorisation.ts";

/** How long an access token is good for. */
export const accessTokenLifetimeSeconds = 3600;

/** Tells {@link formAccessToken} what the token about to be made stands for. */
export function attachAuthorisation(ctx: KoaContextWithOIDC, authorisation: Authorisation): void {
  ctx.state.authorisation = authorisation;
}

/**
 * Replaces the token that oidc-provider has drawn up (RFC 9068) by ours.
 *
 * The header's `alg` and `kid` are added when it is signed.
 */
export function formAccessToken(
  ctx: KoaContextWithOIDC,
  _token: AccessToken | ClientCredentials,
  parts: JWTStructured,
): void {
  const authorisation = ctx.state.authorisation as Authorisation | undefined;
  if (authorisation === undefined) throw new Error("Cannot issue a token: no grant is on record");
  const { iss, iat, exp } = parts.payload;

  parts.header = { typ: "JWT" };
  parts.payload = {
    iss,
    sub: authorisation.subject,
    aud: [authorisation.audience],
    exp,
    nbf: iat,
    iat,
    jti: authorisation.tokenId,
    scope: authorisation.scopes.join(" "),
    client_id: authorisation.clientId,
    azp: authorisation.clientId,
    "urn:svc:auth:organisation_id": authorisation.organisationId,
    "urn:svc:auth:application_id": authorisation.applicationId,
    "urn:svc:auth:authorisation_id": authorisation.authorisationId,
  };
}
