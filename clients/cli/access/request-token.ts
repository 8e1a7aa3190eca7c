/** Gets access tokens by the client credentials grant (RFC 6749 section 4.4). */
import * as oauth from "oauth4webapi";
import { discover, httpOptions, issuerError } from "./issuer.ts";
import type { AddressOption } from "./unreachable.ts";

interface TokenRequest {
  /** The issuer, exactly. Its metadata (RFC 8414) names the token endpoint. */
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Default: every scope that the client may have. */
  readonly scope?: string | undefined;
  /** The service that the token is for (RFC 8707). Default: the issuer's choice. */
  readonly resource?: string | undefined;
}

export interface IssuedToken {
  readonly accessToken: string;
  /** How long it is valid; undefined if the issuer does not say. */
  readonly expiresInSeconds: number | undefined;
}

/**
 * Requests a token from the issuer.
 *
 * @param option the one that names another issuer, if the command has one
 * @throws ClientUnknownError when the issuer refuses the client, Error with the reason otherwise.
 */
export async function requestToken(
  request: TokenRequest,
  option?: AddressOption,
): Promise<IssuedToken> {
  const { authUrl, clientId, clientSecret, scope, resource } = request;
  try {
    const issuer = await discover(authUrl);
    const client = { client_id: clientId };
    const response = await oauth.clientCredentialsGrantRequest(
      issuer,
      client,
      oauth.ClientSecretBasic(clientSecret),
      new URLSearchParams({ ...(scope && { scope }), ...(resource && { resource }) }),
      httpOptions(),
    );
    const answer = await oauth.processClientCredentialsResponse(issuer, client, response);
    return { accessToken: answer.access_token, expiresInSeconds: answer.expires_in };
  } catch (error) {
    throw issuerError(`Cannot get a token from ${authUrl}`, error, option);
  }
}
