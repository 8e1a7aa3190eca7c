/** OpenID Connect as client libraries expect it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type * as oauth from "oauth4webapi";
import type { Account } from "../store/accounts.ts";
import { removeAccount } from "../store/accounts.ts";
import {
  type ActingClient,
  addPerson,
  authorizationRequest,
  runCodeFlow,
  signInAndAllow,
  startSignInService,
  testPassword,
} from "../testing/code-flow.ts";
import { TestBrowser } from "../testing/test-browser.ts";
import { type TestService, testAudiences } from "../testing/test-service.ts";

const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
let service: TestService;
let server: oauth.AuthorizationServer;
let acting: ActingClient;
let person: Account;
before(async () => {
  ({ service, server, acting, person } = await startSignInService({
    person: { email: "ada@example.org" },
  }));
});
after(() => service[Symbol.asyncDispose]());

function requestOf(changes: Record<string, string | undefined> = {}): string {
  return authorizationRequest(server, acting.client, challenge, changes);
}

async function tokensFor(scope: string, of: Account = person) {
  return (await runCodeFlow(service.authUrl, acting, of, { changes: { scope } })).tokens;
}

function claimsOf(token = ""): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

function userinfo(token: string, method = "GET") {
  return fetch(`${service.authUrl}/userinfo`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
}

describe("scopes", () => {
  const granted = "openid upl:bucket:read";
  const cases = {
    "that nobody knows": `${granted} address made:up`,
    "that the client may not have": `${granted} upl:bucket:delete`,
    "of service accounts": `${granted} service_account`,
  };
  for (const [what, scope] of Object.entries(cases)) {
    it(`${what} are dropped, and the answer names the others`, async () => {
      const tokens = await tokensFor(scope);
      assert.equal(tokens.scope, granted);
      assert.equal(claimsOf(tokens.access_token).scope, granted);
    });
  }

  it("that are dropped are not asked for", async () => {
    const browser = new TestBrowser();
    const other = await addPerson(service.pool);
    const login = await browser.open(requestOf({ scope: `${granted} made:up` }));
    const fields = { login_name: other.loginName, password: testPassword, act: "sign-in" };
    const { text } = await browser.submit(login, fields);
    assert.match(text, /Allow The page\?/);
    assert.doesNotMatch(text, /made:up/);
  });

  it("are refused if none is left", async () => {
    const { url } = await new TestBrowser().open(requestOf({ scope: "made:up", nonce: undefined }));
    assert.equal(new URL(url).searchParams.get("error"), "invalid_scope");
  });
});

describe("the claims about a person", () => {
  const all = { name: "Ada Lovelace", email: "ada@example.org" };

  it("are in the ID token and at userinfo, as the scopes say", async () => {
    const expected = {
      openid: {},
      "openid profile": { name: all.name, preferred_username: person.loginName },
      "openid email": { email: all.email },
    };
    for (const [scope, claims] of Object.entries(expected)) {
      const { access_token, id_token } = await tokensFor(`${scope} upl:bucket:read`);
      const sub = `urn:svc:user:${person.accountId}`;
      for (const method of ["GET", "POST"]) {
        const response = await userinfo(access_token, method);
        assert.equal(response.status, 200);
        assert.equal(response.headers.get("cache-control"), "no-store");
        assert.deepEqual(await response.json(), { sub, ...claims });
      }
      const { name, preferred_username, email } = claimsOf(id_token);
      const present = Object.entries({ name, preferred_username, email }).filter(
        ([, value]) => value,
      );
      assert.deepEqual(Object.fromEntries(present), claims, scope);
    }
  });

  it("have no e-mail address if the account has none", async () => {
    const without = await addPerson(service.pool);
    const { access_token } = await tokensFor("openid email upl:bucket:read", without);
    const claims = (await (await userinfo(access_token)).json()) as object;
    assert.deepEqual(Object.keys(claims), ["sub"]);
  });

  it("are only for valid tokens of a person with the scope openid", async () => {
    const gone = await addPerson(service.pool);
    const flow = await runCodeFlow(service.authUrl, acting, gone);
    assert.equal((await userinfo(flow.tokens.access_token)).status, 200);
    await removeAccount(service.pool, gone.loginName);
    const [, elsewhere = ""] = testAudiences;
    const resource = { resource: elsewhere };
    const abroad = await runCodeFlow(service.authUrl, acting, person, { changes: resource });
    const both = { resource: [elsewhere, service.authUrl] };
    const forUs = await runCodeFlow(service.authUrl, acting, person, { changes: both });
    assert.equal((await userinfo(forUs.tokens.access_token)).status, 200);
    const narrow = await withoutOpenId(await tokensFor("openid upl:bucket:read"));
    const refusals: [string, number, string][] = [
      [narrow, 403, "insufficient_scope"],
      ["made.up.token", 401, "invalid_token"],
      [abroad.tokens.access_token, 401, "invalid_token"],
      [flow.tokens.access_token, 401, "invalid_token"],
    ];
    for (const [token, status, error] of refusals) {
      const response = await userinfo(token);
      const answer = (await response.json()) as { error: string };
      assert.deepEqual([response.status, answer.error], [status, error]);
      assert.match(response.headers.get("www-authenticate") ?? "", new RegExp(`error="${error}"`));
    }
    const without = await fetch(`${service.authUrl}/userinfo`);
    assert.equal(without.status, 401);
  });
});

async function withoutOpenId({ refresh_token }: oauth.TokenEndpointResponse): Promise<string> {
  const body = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: refresh_token ?? "",
    client_id: acting.client.client_id,
    scope: "upl:bucket:read",
  });
  const response = await fetch(`${service.authUrl}/token`, { method: "POST", body });
  return ((await response.json()) as { access_token: string }).access_token;
}

describe("prompt=select_account", () => {
  const choose = { prompt: "select_account" };

  it("shows who is signed in, and goes on with that account", async () => {
    const browser = new TestBrowser();
    await signInAndAllow(browser, requestOf(), person);
    const page = await browser.open(requestOf(choose));
    assert.match(page.text, /<h1>Choose an account<\/h1>/);
    assert.ok(page.text.includes(`Continue as ${person.loginName}`));
    const { url } = await browser.submit(page, { act: "continue" });
    assert.match(url, /^https:\/\/page\.example\/callback\?code=/);
  });

  it("lets another person sign in", async () => {
    const browser = new TestBrowser();
    await signInAndAllow(browser, requestOf(), person);
    const page = await browser.submit(await browser.open(requestOf(choose)), { act: "other" });
    assert.match(page.text, /<h1>Sign in<\/h1>/);
    const other = await addPerson(service.pool);
    const wrong = { login_name: other.loginName, password: "wrong", act: "sign-in" };
    const again = await browser.submit(page, wrong);
    assert.match(again.text, /The login name or the password is wrong/);
    const { text } = await browser.submit(again, { ...wrong, password: testPassword });
    assert.match(text, /<h1>Allow /);
  });

  it("is the sign-in page if nobody is signed in, and can be cancelled", async () => {
    const browser = new TestBrowser();
    const page = await browser.open(requestOf(choose));
    assert.match(page.text, /<h1>Sign in<\/h1>/);
    const cancelled = await browser.submit(page, { act: "cancel" });
    assert.equal(new URL(cancelled.url).searchParams.get("error"), "access_denied");
    const { url } = await signInAndAllow(browser, requestOf(choose), person);
    assert.match(url, /^https:\/\/page\.example\/callback\?code=/);
  });
});
