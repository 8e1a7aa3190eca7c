/**
 * Revocation (RFC 7009) and introspection (RFC 7662) of our access tokens.
 *
 * oidc-provider knows of both, and authenticates the client, but refuses every token that is a JWT
 * as the last thing before it would look for it: it keeps no record of them. This takes over at
 * that refusal, which no request meets whose client is not authenticated.
 */
import type { AccessToken, Denylist } from "@stowage/access-token";
import type { Logger } from "@stowage/process";
import type { Client, KoaContextWithOIDC } from "oidc-provider";
import { answerFault, structuredTokenError } from "../overrides/error-answers.ts";
import { actClaimOf } from "./access-token-form.ts";
import type { ReadOwnToken } from "./own-tokens.ts";
import { registeredClient } from "./registered-client.ts";

/** A client with this scope, a resource server, may introspect tokens of every organisation. */
export const introspectionScope = "auth:token:introspect";

/** What the metadata says besides (RFC 8414 section 2). */
export function shownTokensMetadata(clientAuthMethods: readonly string[]) {
  return {
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    introspection_endpoint_auth_methods_supported: clientAuthMethods.filter(
      (method) => method !== "none",
    ),
  };
}

/** What oidc-provider may answer of the tokens that it keeps, which are refresh tokens. */
export const keptTokensPolicies = {
  introspection: {
    enabled: true,
    allowedPolicy: (_ctx: unknown, client: Client, token: { clientId?: string | undefined }) =>
      client.clientAuthMethod !== "none" && token.clientId === client.clientId,
  },
  revocation: {
    enabled: true,
    allowedPolicy: (_ctx: unknown, client: Client, token: { clientId?: string | undefined }) =>
      token.clientId === client.clientId,
  },
};

/** What it takes to answer. */
export interface ShownTokensOptions {
  /** The issuer. */
  authUrl: string;
  readOwnToken: ReadOwnToken;
  denylist: Denylist;
  logger: Logger;
}

/** Middleware: answers both routes for tokens that are JWTs. */
export function answerForOwnTokens(options: ShownTokensOptions) {
  const acts: Record<string, Act> = { revocation: revoke, introspection: introspect };

  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    await next();
    const act = acts[ctx.oidc?.route ?? ""];
    const refusal = ctx.body as { error?: string } | undefined;
    if (act === undefined) return;
    ctx.set("Cache-Control", "no-store");
    if (refusal?.error !== structuredTokenError) return;
    try {
      const { client, params } = ctx.oidc;
      if (client === undefined) throw new Error("Cannot judge a token: no client is authenticated");
      const token = await options.readOwnToken(String(params?.token));
      ctx.body = await act(token, client, options);
      ctx.status = 200;
    } catch (error) {
      answerFault(ctx, error as Error, options.logger);
    }
  };
}

type Act = (
  token: AccessToken | undefined,
  client: Client,
  options: ShownTokensOptions,
) => Promise<unknown> | unknown;

/**
 * Another client's token is answered like an unknown one, with 200: whoever has found a token
 * should not learn here whether it is good.
 */
async function revoke(
  token: AccessToken | undefined,
  client: Client,
  { denylist, logger }: ShownTokensOptions,
): Promise<string> {
  if (token?.clientId !== client.clientId) return "";
  const { tokenId, expiresAt, authorisationId } = token;
  await denylist.add({ kind: "jti", value: tokenId, expiresAt });
  logger.info({ clientId: client.clientId, authorisationId }, "a client revoked a token");
  return "";
}

function introspect(
  token: AccessToken | undefined,
  client: Client,
  { authUrl }: ShownTokensOptions,
) {
  if (token === undefined || !mayIntrospect(client, token)) return { active: false };
  return describeToken(token, authUrl);
}

/** Anybody can say that they are a client without a secret. */
function mayIntrospect(client: Client, token: AccessToken): boolean {
  if (client.tokenEndpointAuthMethod === "none") return false;
  const { organisationId, scopes } = registeredClient(client);
  return organisationId === token.organisationId || scopes.includes(introspectionScope);
}

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
