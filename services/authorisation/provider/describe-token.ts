/** What introspection tells of a good token (RFC 7662 section 2.2): its claims, as they are. */
import type { AccessToken } from "@stowage/access-token";
import { actClaimOf } from "./act-claim.ts";

/** Describes a token of ours. Members that it does not have are left out. */
export function describeToken(token: AccessToken, issuer: string): Record<string, unknown> {
  return {
    active: true,
    token_type: "Bearer",
    iss: issuer,
    sub: token.subject,
    aud: token.audience,
    exp: token.expiresAt,
    nbf: token.notBefore,
    iat: token.issuedAt,
    jti: token.tokenId,
    scope: [...token.scopes].join(" "),
    client_id: token.clientId,
    azp: token.authorizedParty,
    "urn:svc:auth:organisation_id": token.organisationId,
    "urn:svc:auth:application_id": token.applicationId,
    "urn:svc:auth:authorisation_id": token.authorisationId,
    authorization_details: token.authorizationDetails,
    act: actClaimOf(token.actors),
    sid: token.sessionId,
  };
}
