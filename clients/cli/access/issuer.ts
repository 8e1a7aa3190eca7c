/** Requests to an issuer: its metadata (RFC 8414), their time limit, and what went wrong. */
import * as oauth from "oauth4webapi";
import { type AddressOption, unreachableText } from "./unreachable.ts";

/** For one or two small responses. */
const timeoutMs = 30_000;

/** The issuer does not know the client or its secret. */
export class ClientUnknownError extends Error {
  override readonly name = "ClientUnknownError";
}

export function httpOptions() {
  return {
    // The user chooses the address, and so whether plain HTTP is safe.
    [oauth.allowInsecureRequests]: true,
    signal: AbortSignal.timeout(timeoutMs),
  };
}

/** Reads the issuer's metadata. `authUrl` is the issuer, exactly. */
export async function discover(authUrl: string): Promise<oauth.AuthorizationServer> {
  const url = new URL(authUrl);
  const response = await oauth.discoveryRequest(url, httpOptions());
  if (response.status !== 200) throw new Error(unexpectedText(response));
  const issuer = await oauth.processDiscoveryResponse(url, response);
  // Resource servers compare issuers as text: one slash more, and they refuse the token.
  if (issuer.issuer !== authUrl) {
    throw new Error(`the issuer there calls itself ${issuer.issuer}, need the same address`);
  }
  return issuer;
}

/** The code in an error answer of OAuth (RFC 6749 section 5.2); undefined for other errors. */
export function oauthErrorOf(error: unknown): string | undefined {
  if (error instanceof oauth.ResponseBodyError) return error.error;
  if (error instanceof oauth.AuthorizationResponseError) return error.error;
  return error instanceof oauth.WWWAuthenticateChallengeError ? "invalid_client" : undefined;
}

/** The Fetch standard calls these ports bad: https://fetch.spec.whatwg.org/#bad-port */
const blockedPortText =
  "its port belongs to another protocol, so this command and browsers never connect to it; run " +
  "the issuer on another port";

/**
 * An Error for a failed request: the act, and what the issuer says or what is wrong with it.
 *
 * @param act names the address
 * @param option if the command has one
 */
export function issuerError(act: string, error: unknown, option?: AddressOption): Error {
  if (
    error instanceof oauth.ResponseBodyError ||
    error instanceof oauth.AuthorizationResponseError
  ) {
    const message = `${act}: ${error.error}: ${error.error_description ?? "without a description"}`;
    return error.error === "invalid_client" ? new ClientUnknownError(message) : new Error(message);
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return new ClientUnknownError(`${act}: the client or its secret is refused`);
  }
  // The library puts an answer that it does not expect in the cause.
  if (error instanceof Error && error.cause instanceof Response) {
    return new Error(`${act}: ${unexpectedText(error.cause)}`);
  }
  if (error instanceof Error && error.name === "TimeoutError") {
    return new Error(`${act}: no answer in ${timeoutMs} ms`);
  }
  // "fetch failed" says nothing; the cause has the network error.
  const isNetwork = error instanceof TypeError && error.cause !== undefined;
  const cause = isNetwork ? error.cause : error;
  const isBlocked = cause instanceof Error && cause.message === "bad port";
  const text = isBlocked ? blockedPortText : unreachableText(cause, option);
  return text === undefined ? new Error(act, { cause }) : new Error(`${act}: ${text}`);
}

/** An issuer answers so while it starts or its database does, a proxy while there is no issuer. */
function unexpectedText({ status, headers }: Response): string {
  if (status >= 500 || status === 429) return `the issuer answers ${status}; try again`;
  const type = headers.get("content-type") ?? "no content type";
  return `no issuer answers there: got status ${status} and ${type}`;
}
