/** Access tokens by the client credentials grant (RFC 6749, 4.4), as any client gets them. */
import * as oauth from "oauth4webapi";

export interface TokenRequest {
  /** The issuer, exactly. Its metadata says where tokens are given out (RFC 8414). */
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Left out: all that the client may have. */
  readonly scope?: string | undefined;
  /** The service that the token is for (RFC 8707). Left out: the issuer's default. */
  readonly resource?: string | undefined;
}

export interface IssuedToken {
  readonly accessToken: string;
  /** How long it is valid; undefined where the issuer does not say. */
  readonly expiresInSeconds: number | undefined;
}

/** The issuer does not know the client, or not this secret of it. */
export class ClientUnknownError extends Error {
  override readonly name = "ClientUnknownError";
}

/**
 * Asks the issuer for a token.
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
    throw refusalOf(error, authUrl);
  }
}

/** Two small answers; an issuer that takes longer is out of order. */
const timeoutMs = 30_000;

function httpOptions() {
  return {
    // Whether the way to the issuer is safe is for whoever gives the address to know.
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
  // Resource servers compare issuers as text, so that a slash more or less would cost the token.
  if (issuer.issuer !== authUrl) {
    throw new Error(`the issuer there calls itself ${issuer.issuer}, need the same address`);
  }
  return issuer;
}

function refusalOf(error: unknown, authUrl: string): Error {
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
  // The network's own words are in the cause; "fetch failed" says nothing.
  const isNetwork = error instanceof TypeError && error.cause !== undefined;
  return new Error(act, { cause: isNetwork ? error.cause : error });
}
