/**
 * Override: access tokens that are JWTs at the userinfo endpoint (OpenID Connect Core section 5.3).
 *
 * oidc-provider finds only tokens that it has stored, and refuses those that name a resource
 * server. Ours are signed and always name one. A client usually has only one token, so any valid
 * token of a person is accepted if it has the scope `openid`. The library then checks that scope,
 * the client, the account and the grant, as for tokens of its own.
 */
import type { AccessToken } from "@stowage/access-token";
import type Provider from "oidc-provider";

/** What the endpoint needs. */
interface UserinfoOptions {
  /** Reads a token; undefined if it is not a valid token of ours. */
  readOwnToken: (token: string) => Promise<AccessToken | undefined>;
  /** Finds the person's grant that a token rests on, by the claim `authorisation_id`. */
  findGrantOf: (authorisationId: string) => Promise<string | undefined>;
}

/** Lets the library find access tokens that are JWTs. */
export function findSignedTokens(
  provider: Provider,
  { readOwnToken, findGrantOf }: UserinfoOptions,
): void {
  Object.assign(provider.AccessToken, {
    async find(text: string) {
      const token = await readOwnToken(text);
      if (token?.authorisationId === undefined) return undefined;
      const grantId = await findGrantOf(token.authorisationId);
      if (grantId === undefined) return undefined;
      const { subject: accountId, clientId, issuedAt, scopes } = token;
      const found = new provider.AccessToken({ accountId, clientId, grantId } as never);
      // `authTime` is compared with the time when the person was signed out everywhere.
      return Object.assign(found, { scope: [...scopes].join(" "), authTime: issuedAt });
    },
  });
}
