/** Signs in with the browser of this machine, which returns to a loopback address (RFC 8252). */
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as oauth from "oauth4webapi";
import { httpOptions } from "../access/issuer.ts";
import { type LoginRequest, loopbackRedirectUri, requestParametersOf } from "./login-request.ts";

/** As long as the code of a device is valid. */
const waitMaxMs = 600_000;
/** The longest time until the browser has taken the page that ends the login. */
const answerMaxMs = 2000;

/**
 * Opens the issuer's page with `open`, and waits until the browser comes back. Returns undefined if
 * the page cannot be opened. Rejects when the person declines, or does not come back in time.
 */
export async function loginByBrowser(
  request: LoginRequest,
  open: (url: string) => Promise<boolean>,
): Promise<oauth.TokenEndpointResponse | undefined> {
  const { issuer, client, tell } = request;
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const nonce = oauth.generateRandomNonce();
  const server = createServer().listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const redirectUri = redirectUriAt(server);
    const cameBack = comesBack(server, state);
    const url = authorizationUrl(request, {
      redirect_uri: redirectUri,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    });
    if (!(await open(url))) return undefined;
    tell(`\nSign in in your browser. If it shows no page, open this address:\n\n  ${url}\n\n`);
    const back = await cameBack;
    try {
      const parameters = oauth.validateAuthResponse(issuer, client, back.url, state);
      const response = await oauth.authorizationCodeGrantRequest(
        ...([issuer, client, oauth.None(), parameters, redirectUri, verifier] as const),
        httpOptions(),
      );
      const answer = await oauth.processAuthorizationCodeResponse(issuer, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      await answerPage(back.response, "You have signed in");
      return answer;
    } catch (error) {
      await answerPage(back.response, "You are not signed in");
      throw declined(error);
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function redirectUriAt(server: Server): string {
  const uri = new URL(loopbackRedirectUri);
  uri.port = String((server.address() as AddressInfo).port);
  return uri.href;
}

function authorizationUrl(request: LoginRequest, parameters: Record<string, string>): string {
  const { issuer, client } = request;
  if (issuer.authorization_endpoint === undefined) {
    throw new Error("the issuer has no page to sign in on");
  }
  const url = new URL(issuer.authorization_endpoint);
  const all = {
    client_id: client.client_id,
    response_type: "code",
    code_challenge_method: "S256",
    // OpenID Connect Core 1.0 section 11: otherwise offline_access is ignored.
    prompt: "consent",
    ...requestParametersOf(request),
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return url.href;
}

interface Return {
  readonly url: URL;
  readonly response: ServerResponse;
}

/** Waits for the first request with the right state. Others may come from any page. */
function comesBack(server: Server, state: string): Promise<Return> {
  const { promise, resolve, reject } = Promise.withResolvers<Return>();
  const timer = setTimeout(
    () => reject(new Error("you did not come back from the browser in 10 minutes")),
    waitMaxMs,
  );
  server.on("request", (request, response) => {
    const url = URL.parse(request.url ?? "/", loopbackRedirectUri);
    const isOurs = url?.pathname === new URL(loopbackRedirectUri).pathname;
    if (!isOurs || request.method !== "GET" || url.searchParams.get("state") !== state) {
      response.writeHead(404).end();
      return;
    }
    clearTimeout(timer);
    resolve({ url, response });
  });
  // Nobody waits for it if the page cannot be opened.
  promise.catch(() => undefined);
  return promise;
}

async function answerPage(response: ServerResponse, title: string): Promise<void> {
  response.writeHead(200, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    Connection: "close",
  });
  response.end(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<h1>${title}</h1>
<p>Go back to your terminal. You can close this page.</p>
</html>
`);
  // The browser may be gone, or not read. Whether it shows the page does not matter.
  const end = AbortSignal.timeout(answerMaxMs);
  if (!response.closed) await once(response, "close", { signal: end }).catch(() => undefined);
}

function declined(error: unknown): unknown {
  const isDeclined =
    error instanceof oauth.AuthorizationResponseError && error.error === "access_denied";
  return isDeclined ? new Error("you have not allowed it") : error;
}
