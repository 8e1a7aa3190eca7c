/** Gets access tokens by the client credentials grant (RFC 6749 section 4.4). */
import * as oauth from "oauth4webapi";

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

/** The issuer does not know the client or its secret. */
export class ClientUnknownError extends Error {
  override readonly name = "ClientUnknownError";
}

/**
 * Requests a token from the issuer.
 *
 * @throws ClientUnknownError when the issuer refuses the client, Error with the reason otherwise.
 */
export async function requestToken(request: TokenRequest): Promise<IssuedToken> {
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
    throw tokenErrorOf(error, authUrl);
  }
}

/** For two small responses. */
const timeoutMs = 30_000;

function httpOptions() {
  return {
    // The user chooses the address, and so whether plain HTTP is safe.
    [oauth.allowInsecureRequests]: true,
    signal: AbortSignal.timeout(timeoutMs),
  };
}

async function discover(authUrl: string): Promise<oauth.AuthorizationServer> {
  const url = new URL(authUrl);
  const response = await oauth.discoveryRequest(url, httpOptions());
  if (response.status !== 200) {
    throw new Error(`its metadata answers with HTTP status ${response.status}, need 200`);
  }
  const issuer = await oauth.processDiscoveryResponse(url, response);
  // Resource servers compare issuers as text: one slash more, and they refuse the token.
  if (issuer.issuer !== authUrl) {
    throw new Error(`the issuer there calls itself ${issuer.issuer}, need the same address`);
  }
  return issuer;
}

function tokenErrorOf(error: unknown, authUrl: string): Error {
  const act = `Cannot get a token from ${authUrl}`;
  if (error instanceof oauth.ResponseBodyError) {
    const message = `${act}: ${error.error}: ${error.error_description ?? "without a description"}`;
    return error.error === "invalid_client" ? new ClientUnknownError(message) : new Error(message);
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return new ClientUnknownError(`${act}: the client or its secret is refused`);
  }
  if (error instanceof Error && error.name === "TimeoutError") {
    return new Error(`${act}: no answer in ${timeoutMs} ms`);
  }
  // "fetch failed" says nothing; the cause has the network error.
  const isNetwork = error instanceof TypeError && error.cause !== undefined;
  return new Error(act, { cause: isNetwork ? error.cause : error });
}
