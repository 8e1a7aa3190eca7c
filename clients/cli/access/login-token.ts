/** Access tokens of a stored login, which are renewed when they expire (RFC 6749 section 6). */
import * as oauth from "oauth4webapi";
import { discover, httpOptions, issuerError, oauthErrorOf } from "./issuer.ts";
import { readLogin, type StoredLogin, withLoginLocked, writeLogin } from "./stored-logins.ts";

/** A token that expires sooner than this might expire on its way. */
const remainingMinMs = 30_000;

/** Used when an issuer does not say how long a token is valid. */
const lifetimeDefaultSeconds = 300;

/** The members of a login that each answer of the token endpoint replaces. */
export function tokensOf(
  answer: oauth.TokenEndpointResponse,
  earlierRefreshToken = "",
): Pick<StoredLogin, "accessToken" | "accessTokenExpiresAtMs" | "refreshToken"> {
  return {
    accessToken: answer.access_token,
    accessTokenExpiresAtMs: Date.now() + (answer.expires_in ?? lifetimeDefaultSeconds) * 1000,
    refreshToken: answer.refresh_token ?? earlierRefreshToken,
  };
}

/**
 * A token that is valid now. Commands that run at the same time wait for each other and renew it
 * once: an issuer may take a second use of a refresh token for theft.
 *
 * @param refused a token that the service has refused, although it has not expired
 */
export async function tokenOfLogin(login: StoredLogin, refused?: string): Promise<StoredLogin> {
  const isUsable = ({ accessToken, accessTokenExpiresAtMs }: StoredLogin) =>
    accessToken !== refused && accessTokenExpiresAtMs > Date.now() + remainingMinMs;
  if (isUsable(login)) return login;
  return await withLoginLocked(login, async () => {
    const current = await readLogin(login);
    if (current === undefined) throw new Error(endedText(login));
    return isUsable(current) ? current : await renew(current);
  });
}

async function renew(login: StoredLogin): Promise<StoredLogin> {
  try {
    const issuer = await discover(login.authUrl);
    const client = { client_id: login.clientId };
    const response = await oauth.refreshTokenGrantRequest(
      issuer,
      client,
      oauth.None(),
      login.refreshToken,
      httpOptions(),
    );
    const answer = await oauth.processRefreshTokenResponse(issuer, client, response);
    const renewed = { ...login, ...tokensOf(answer, login.refreshToken) };
    await writeLogin(renewed);
    return renewed;
  } catch (error) {
    if (["invalid_grant", "invalid_client"].includes(oauthErrorOf(error) ?? "")) {
      throw new Error(endedText(login));
    }
    throw issuerError(`Cannot renew the login at ${login.authUrl}`, error);
  }
}

function endedText({ baseUrl, authUrl }: StoredLogin): string {
  return (
    `Your login for ${baseUrl} has ended. Sign in again: ` +
    `stowage login --base-url ${baseUrl} --auth-url ${authUrl}`
  );
}
