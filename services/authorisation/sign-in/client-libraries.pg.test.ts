/** Well-known client libraries sign people in with their default settings. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, it } from "node:test";
import * as openid from "openid-client";
import type { Account } from "../store/accounts.ts";
import { startClientSite } from "../testing/client-site.ts";
import { addActingClient, addPerson, callback, signInAndAllow } from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

// As import("@auth/core"), but without its types, which contain those of browsers.
const authJs: string = "@auth/core";
const { Auth }: AuthJs = await import(authJs);

interface AuthJs {
  Auth: (request: Request, configuration: object) => Promise<Response>;
}

const clientSecret = randomUUID();
const email = "ada@example.org";
let service: TestService;
let person: Account;
before(async () => {
  service = await startTestService();
  person = await addPerson(service.pool, { email });
});
after(() => service[Symbol.asyncDispose]());

for (const secret of [undefined, clientSecret]) {
  const kind = secret === undefined ? "a public client" : "a client with a secret";

  it(`openid-client, as ${kind}`, async () => {
    const { client } = await addActingClient(service.pool, secret === undefined ? {} : { secret });
    // The flag is for the plain HTTP of tests. All else is as its README shows.
    const configuration = await openid.discovery(
      new URL(service.authUrl),
      client.client_id,
      secret,
      secret === undefined ? openid.None() : undefined,
      { execute: [openid.allowInsecureRequests] },
    );
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const request = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: "openid email profile address phone",
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      state: expectedState,
    });
    const { url } = await signInAndAllow(new TestBrowser(), request.href, person);
    const checks = { pkceCodeVerifier, expectedState };
    const tokens = await openid.authorizationCodeGrant(configuration, new URL(url), checks);
    assert.equal(tokens.scope, "openid email profile");
    const subject = tokens.claims()?.sub ?? "";
    const claims = await openid.fetchUserInfo(configuration, tokens.access_token, subject);
    assert.equal(claims.email, email);
    const fresh = await openid.refreshTokenGrant(configuration, tokens.refresh_token ?? "");
    await openid.tokenRevocation(configuration, fresh.refresh_token ?? "");
    await assert.rejects(openid.refreshTokenGrant(configuration, fresh.refresh_token ?? ""), {
      error: "invalid_grant",
    });
  });
}

it("Auth.js, a site with sessions of its own", async () => {
  let configuration: object | undefined;
  await using site = await startClientSite(async (incoming, response) => {
    assert.ok(configuration);
    await send(await Auth(await requestOf(incoming, site.url), configuration), response);
  });
  const { client } = await addActingClient(service.pool, {
    secret: clientSecret,
    redirectUris: [`${site.url}/auth/callback/stowage`],
  });
  configuration = {
    basePath: "/auth",
    secret: randomUUID(),
    trustHost: true,
    providers: [
      {
        id: "stowage",
        name: "Stowage",
        type: "oidc",
        issuer: service.authUrl,
        clientId: client.client_id,
        clientSecret,
      },
    ],
  };
  const atSite = new TestBrowser();
  const { csrfToken } = JSON.parse((await atSite.open(`${site.url}/auth/csrf`)).text);
  const request = await atSite.open(`${site.url}/auth/signin/stowage`, {
    method: "POST",
    body: new URLSearchParams({ csrfToken, callbackUrl: `${site.url}/auth/session` }),
  });
  assert.ok(request.url.startsWith(`${service.authUrl}/auth?`), request.url);
  const back = await signInAndAllow(new TestBrowser(), request.url, person);
  const session = JSON.parse((await atSite.open(back.url)).text);
  assert.deepEqual(session.user, { name: "Ada Lovelace", email });
});

async function requestOf(incoming: IncomingMessage, siteUrl: string): Promise<Request> {
  const { method = "", headers } = incoming;
  return new Request(new URL(incoming.url ?? "", siteUrl), {
    method,
    headers: headers as Record<string, string>,
    ...(method === "POST" && { body: await text(incoming) }),
  });
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) response.appendHeader(name, value);
  response.end(await answer.text());
}
