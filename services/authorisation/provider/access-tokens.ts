/**
 * Access tokens in the storage of oidc-provider: they are signed and not stored, so what it finds
 * is what the token says. It asks at the userinfo endpoint (OpenID Connect Core section 5.3), and
 * then checks the scope `openid`, the client, the account and the grant.
 */
import type { AdapterPayload } from "oidc-provider";
import type pg from "pg";
import type { ReadOwnToken } from "../grants/own-tokens.ts";
import { findGrantOf } from "../store/authorisations.ts";

/**
 * Makes the function that finds a token by its text. A token for another resource server is not
 * found, unless it is for the issuer too: that server could read who the person is.
 */
export function accessTokenFinder(options: {
  readOwnToken: ReadOwnToken;
  pool: pg.Pool;
  /** The issuer. */
  authUrl: string;
  /** Identifiers of the resource servers; tokens are for the first one unless it is asked for. */
  audiences: readonly string[];
}) {
  const accepted = [options.authUrl, options.audiences[0]];

  return async (text: string): Promise<AdapterPayload | undefined> => {
    const token = await options.readOwnToken(text);
    if (token?.authorisationId === undefined) return undefined;
    if (![token.audience].flat().some((audience) => accepted.includes(audience))) return undefined;
    const grantId = await findGrantOf(options.pool, token.authorisationId);
    if (grantId === undefined) return undefined;
    return {
      kind: "AccessToken",
      jti: token.tokenId,
      accountId: token.subject,
      clientId: token.clientId,
      grantId,
      scope: [...token.scopes].join(" "),
      iat: token.issuedAt,
      exp: token.expiresAt,
    };
  };
}
