import assert from "node:assert/strict";
import { after, before, beforeEach, it } from "node:test";
import { until } from "@stowage/process/testing";
import { decodeJwt, type JWTPayload } from "jose";
import * as oauth from "oauth4webapi";
import type { Account } from "../store/accounts.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  authorizationRequest,
  type Flow,
  insecure,
  runCodeFlow,
  signInAndAllow,
} from "../testing/code-flow.ts";
import { type LogoutReceiver, startLogoutReceiver, status } from "../testing/logout-receiver.ts";
import { TestBrowser, type Visited } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const signedOut = "https://page.example/signed-out";
let service: TestService;
let receiver: LogoutReceiver;
let person: Account;
let page: ActingClient;
let other: ActingClient;
let browser: TestBrowser;
before(async () => {
  service = await startTestService();
  receiver = await startLogoutReceiver(status(200));
  page = await addActingClient(service.pool, {
    postLogoutRedirectUris: [signedOut],
    backChannelLogoutUri: receiver.logoutUri,
  });
  other = await addActingClient(service.pool, { name: "Another <program>" });
});
beforeEach(async () => {
  person = await addPerson(service.pool);
  browser = new TestBrowser();
});
after(async () => {
  await receiver[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const signIn = (client: ActingClient, changes = {}) =>
  runCodeFlow(service.authUrl, client, person, { browser, changes });

function openLogout(parameters: Record<string, string> = {}): Promise<Visited> {
  return browser.open(`${service.authUrl}/session/end?${new URLSearchParams(parameters)}`);
}

/** Presses a button of a logout page. */
async function press({ text, url }: Visited, fields: Record<string, string>): Promise<Visited> {
  const [, action = ""] = /<form method="post" action="([^"]*)">/.exec(text) ?? [];
  const [, xsrf = ""] = /name="xsrf" value="([\w-]+)"/.exec(text) ?? [];
  assert.equal(new URL(action).origin, new URL(url).origin);
  return await browser.submit({ url: action } as Visited, { xsrf, ...fields });
}

const sidOf = ({ tokens }: Flow) => decodeJwt(tokens.access_token).sid;

async function isDenied(flow: Flow): Promise<boolean> {
  const entry = "select from denylist.entries where kind = 'sid' and value = $1";
  return (await service.pool.query(entry, [sidOf(flow)])).rowCount === 1;
}

/** The claims of the logout token when that session has ended. */
async function toldOf(flow: Flow): Promise<JWTPayload> {
  const find = () => receiver.tokens.map(decodeJwt).find(({ sid }) => sid === sidOf(flow));
  await until("the client is told", async () => find() !== undefined);
  return find() as JWTPayload;
}

/** The error for a refresh token; undefined if it is valid. */
async function refreshError(client: ActingClient, { server, tokens }: Flow) {
  const response = await oauth.refreshTokenGrantRequest(
    server,
    client.client,
    client.authentication,
    tokens.refresh_token ?? "",
    insecure,
  );
  return ((await response.json()) as { error?: string }).error;
}

it("signs out everywhere, tells the clients, and redirects to the client that asked", async () => {
  const flow = await signIn(page);
  const otherFlow = await signIn(other);
  const asked = await openLogout({
    id_token_hint: flow.tokens.id_token ?? "",
    post_logout_redirect_uri: signedOut,
    state: "a state",
  });
  assert.equal(asked.status, 200);
  assert.match(asked.text, new RegExp(`You are signed in as ${person.loginName}`));
  assert.match(asked.text, /Sign out of The page only/);
  assert.equal(await isDenied(flow), false, "until the button is pressed");

  const { url } = await press(asked, { logout: "yes" });
  assert.equal(url, `${signedOut}?state=a+state`);
  for (const each of [flow, otherFlow]) assert.ok(await isDenied(each));
  assert.equal(await refreshError(page, flow), "invalid_grant");
  assert.equal(await refreshError(other, otherFlow), "invalid_grant");
  const { sub, aud } = await toldOf(flow);
  const idToken = decodeJwt(flow.tokens.id_token ?? "");
  assert.deepEqual([sub, aud], [idToken.sub, page.client.client_id]);
  assert.equal(idToken.sid, sidOf(flow));
  assert.match((await openLogout()).text, /You are signed out</);
});

it("signs out of one client only, if the person wants that", async () => {
  const flow = await signIn(page);
  const otherFlow = await signIn(other);
  const asked = await openLogout({ client_id: other.client.client_id });
  assert.match(asked.text, /Sign out of Another &#60;program&#62; only/);
  const done = await press(asked, {});
  assert.match(done.text, /You are signed out of Another/);
  assert.ok(await isDenied(otherFlow));
  assert.equal(await refreshError(other, otherFlow), "invalid_grant");
  assert.equal(await isDenied(flow), false);
  assert.equal(await refreshError(page, flow), undefined);
  assert.notEqual(sidOf(await signIn(other)), sidOf(otherFlow), "another session at that client");
});

it("signs out without a client", async () => {
  const flow = await signIn(page);
  const asked = await openLogout();
  assert.ok(!asked.text.includes("only</button>"));
  assert.match((await press(asked, { logout: "yes" })).text, /You are signed out</);
  assert.ok(await isDenied(flow));
});

it("continues if nobody is signed in", async () => {
  const parameters = { client_id: page.client.client_id, post_logout_redirect_uri: signedOut };
  assert.equal((await openLogout(parameters)).url, signedOut);
});

it("leaves no record of a session in which nobody was signed in", async () => {
  const count = async () => {
    const { rows } = await service.pool.query("select count(*) from auth.audit_events");
    return rows[0];
  };
  const before = await count();
  await openLogout();
  assert.deepEqual(await count(), before);
});

it("gives nobody a session that began before the sign-in", async () => {
  const answer = await fetch(`${service.authUrl}/session/end`, {
    headers: { accept: "text/html" },
  });
  const [cookie = ""] = answer.headers.getSetCookie();
  const [name = "", value = ""] = cookie.split(";", 1)[0]?.split("=") ?? [];
  const anonymous = { name, value, path: "/" };
  browser.cookies.set(`${name} /`, anonymous);
  await signIn(page);
  browser = new TestBrowser();
  browser.cookies.set(`${name} /`, anonymous);
  assert.match((await openLogout()).text, /You are signed out</);
});

it("redirects only to addresses of the client, and signs out all the same", async () => {
  const { tokens } = await signIn(page);
  const id_token_hint = tokens.id_token ?? "";
  for (const uri of [`${signedOut}/`, `${signedOut}?a`, "https://page.example/", "javascript:1"]) {
    const asked = await openLogout({ id_token_hint, post_logout_redirect_uri: uri });
    assert.match(asked.text, /<h1>Sign out\?<\/h1>/);
    assert.doesNotMatch(asked.url, /id_token_hint/);
    assert.doesNotMatch(asked.text, /of The page/, uri);
  }
  const asked = await openLogout({ post_logout_redirect_uri: signedOut });
  assert.equal(new URL((await press(asked, { logout: "yes" })).url).origin, service.authUrl);
});

it("signs out also with a hint that is altered, foreign or no hint at all", async () => {
  const flow = await signIn(page);
  const [head = "", body = ""] = (flow.tokens.id_token ?? "").split(".");
  const wrong = [
    { id_token_hint: `${head}.${body}.AAAA` },
    { id_token_hint: "none" },
    { id_token_hint: flow.tokens.id_token ?? "", client_id: other.client.client_id },
    { client_id: "11111111-1111-4111-8111-111111111111" },
  ];
  for (const parameters of wrong) {
    const { status, text } = await openLogout(parameters);
    assert.equal(status, 200, JSON.stringify(parameters));
    assert.match(text, new RegExp(`You are signed in as ${person.loginName}`));
  }
  const asked = await openLogout(wrong[0]);
  assert.match((await press(asked, { logout: "yes" })).text, /You are signed out</);
  assert.ok(await isDenied(flow));
});

it("refuses forms that are not its own", async () => {
  const flow = await signIn(page);
  const asked = await openLogout();
  for (const fields of [{ xsrf: "" }, { xsrf: "0".repeat(48) }]) {
    assert.equal((await press(asked, { ...fields, logout: "yes" })).status, 400);
  }
  assert.equal((await browser.open(`${service.authUrl}/session/end/confirm`)).status, 405);
  assert.equal(await isDenied(flow), false);
});

it("ends the session when another person signs in", async () => {
  const flow = await signIn(page);
  const request = authorizationRequest(flow.server, page.client, "a".repeat(43), {
    prompt: "login",
  });
  const allowed = await signInAndAllow(browser, request, await addPerson(service.pool));
  assert.match(allowed.url, /^https:\/\/page\.example\/callback\?code=/);
  assert.ok(await isDenied(flow));
  await toldOf(flow);
});

it("keeps the offline access that a person has allowed", async () => {
  const flow = await signIn(page, {
    scope: "openid offline_access upl:bucket:read",
    prompt: "consent",
  });
  await press(await openLogout(), { logout: "yes" });
  assert.ok(await isDenied(flow));
  const { server, tokens } = flow;
  const { client, authentication } = page;
  const refresh = tokens.refresh_token ?? "";
  const response = await oauth.refreshTokenGrantRequest(
    server,
    client,
    authentication,
    refresh,
    insecure,
  );
  const refreshed = await oauth.processRefreshTokenResponse(server, client, response);
  assert.equal(decodeJwt(refreshed.access_token).sid, undefined);
  assert.equal(decodeJwt(refreshed.id_token ?? "").sid, undefined, "the session has ended");
});
