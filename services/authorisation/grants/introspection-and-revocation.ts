/** Answers for tokens that clients revoke (RFC 7009) or introspect (RFC 7662). */
import type { AccessToken, Denylist } from "@stowage/access-token";
import type { Logger } from "@stowage/process";
import type { Client } from "oidc-provider";
import { countRequest, type RateLimiter } from "../limits/rate-limiter.ts";
import type { TokenAction } from "../overrides/signed-tokens.ts";
import { actClaimOf } from "./access-token-claims.ts";
import type { ReadOwnToken } from "./own-tokens.ts";
import { registeredClient } from "./registered-client.ts";

/** A client with this scope may introspect the tokens of every organisation. */
export const introspectionScope = "auth:token:introspect";

/** The metadata about both endpoints (RFC 8414 section 2). */
export function endpointMetadata(clientAuthMethods: readonly string[]) {
  return {
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    introspection_endpoint_auth_methods_supported: clientAuthMethods.filter(
      (method) => method !== "none",
    ),
  };
}

/**
 * Which stored tokens, the refresh tokens, oidc-provider itself may answer for.
 *
 * @param clientRate counts revocations: each adds to the denylist
 */
export const storedTokensPolicies = (clientRate: RateLimiter) => ({
  introspection: {
    enabled: true,
    allowedPolicy: (_ctx: unknown, client: Client, token: { clientId?: string | undefined }) =>
      client.clientAuthMethod !== "none" && token.clientId === client.clientId,
  },
  revocation: {
    enabled: true,
    async allowedPolicy(
      _ctx: unknown,
      { clientId }: Client,
      token: { clientId?: string | undefined },
    ) {
      if (token.clientId !== clientId) return false;
      await countRequest(clientRate, clientId);
      return true;
    },
  },
});

/** What the answers need. */
interface AnswerOptions {
  /** The issuer. */
  authUrl: string;
  readOwnToken: ReadOwnToken;
  denylist: Denylist;
  /** How often one client may revoke. */
  clientRate: RateLimiter;
  /** Records that a client has revoked a token. */
  tokenRevoked: (revoked: {
    subject: string;
    details: { authorisationId: string | undefined; jti: string };
  }) => Promise<void>;
  logger: Logger;
}

/** The answers for access tokens, by endpoint. */
export function introspectionAndRevocation(
  options: AnswerOptions,
): Record<"revocation" | "introspection", TokenAction> {
  const { authUrl, readOwnToken, denylist, logger } = options;
  return {
    /** Another client's token gets the same answer as an unknown one, so it reveals nothing. */
    async revocation(text, client) {
      const token = await readOwnToken(text);
      if (token?.clientId !== client.clientId) return "";
      await countRequest(options.clientRate, client.clientId);
      const { tokenId, expiresAt, authorisationId, subject } = token;
      await denylist.add({ kind: "jti", value: tokenId, expiresAt });
      await options.tokenRevoked({ subject, details: { authorisationId, jti: tokenId } });
      logger.info({ clientId: client.clientId, authorisationId }, "a client revoked a token");
      return "";
    },
    async introspection(text, client) {
      const token = await readOwnToken(text);
      if (token === undefined || !mayIntrospect(client, token)) return { active: false };
      return claimsOf(token, authUrl);
    },
  };
}

/** A client without a secret may not: everybody can claim to be that client. */
function mayIntrospect(client: Client, token: AccessToken): boolean {
  if (client.tokenEndpointAuthMethod === "none") return false;
  const { clientId, organisationId, scopes } = registeredClient(client);
  const isOwn = clientId === token.clientId || organisationId === token.organisationId;
  return isOwn || scopes.includes(introspectionScope);
}

/** The answer for a valid token (RFC 7662 section 2.2). JSON leaves out undefined members. */
function claimsOf(token: AccessToken, issuer: string): Record<string, unknown> {
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
