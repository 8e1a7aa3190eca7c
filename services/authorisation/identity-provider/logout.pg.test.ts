import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { until } from "@stowage/process/testing";
import { startDocumentedProvider } from "../testing/documented-provider.ts";
import {
  passThrough,
  settingsOf,
  signInThrough,
  startTwoProviders,
} from "../testing/other-provider.ts";
import { TestBrowser, type Visited } from "../testing/test-browser.ts";

const people = { ada: { groups: ["staff"] }, bob: { groups: ["staff"] } };

let world: Awaited<ReturnType<typeof startTwoProviders>>;
before(async () => {
  world = await startTwoProviders(people, [{}]);
});
after(() => world[Symbol.asyncDispose]());

/** Signs in with a new browser. */
async function signIn(accountId = "ada") {
  const { service, other } = world;
  other.accountId = accountId;
  other.forget();
  const browser = new TestBrowser();
  const page = await signInThrough(browser, other, `${service.authUrl}/account`);
  assert.match(page.text, /You are signed in as/);
  return browser;
}

/** Whether a person is signed in at the provider: its session has an account. */
const sessionsAtProvider = () =>
  [...world.other.stored].filter(([key, { accountId }]) => /^Session:/.test(key) && accountId);

async function isSignedIn(browser: TestBrowser): Promise<boolean> {
  const { url } = await browser.open(`${world.service.authUrl}/account`);
  return !url.startsWith(world.other.url);
}

/** Sends the form with which a person signs out. */
function confirm(page: { url: string; text: string }) {
  const [, action = ""] = /<form[^>]* action="([^"]*)"/.exec(page.text) ?? [];
  const [, xsrf = ""] = /name="xsrf" value="([^"]*)"/.exec(page.text) ?? [];
  return { action, form: { xsrf, logout: "yes" } };
}

async function signOutHere(browser: TestBrowser): Promise<Visited> {
  const page = await browser.open(`${world.service.authUrl}/session/end`);
  const { action, form } = confirm(page);
  return await browser.submit({ ...page, url: action }, form);
}

it("signing out here leads to the provider, which signs out too and leads back", async () => {
  const { service, other } = world;
  const browser = await signIn();
  assert.equal(sessionsAtProvider().length, 1);
  const { url } = await signOutHere(browser);
  const asked = new URL(url);
  assert.equal(asked.origin + asked.pathname, `${other.url}/session/end`);
  const back = `${service.authUrl}/provider/signed-out`;
  assert.equal(asked.searchParams.get("post_logout_redirect_uri"), back);
  assert.equal(asked.searchParams.get("client_id"), "stowage");
  // Here the person is signed out already, whatever happens there.
  assert.equal(await isSignedIn(browser), false);

  const text = await (await other.browse(url)).text();
  const { action, form } = confirm({ url, text });
  const answer = await other.browse(action, form);
  const end = await browser.open(await passThrough(other, answer.headers.get("location") ?? ""));
  assert.match(end.text, /You are signed out/);
  assert.equal(sessionsAtProvider().length, 0);
  // The way back works once.
  const again = await browser.open(answer.headers.get("location") ?? "");
  assert.match(again.text, /You are signed out/);
});

it("signing out at the provider ends that session here, and no other", async () => {
  const { other } = world;
  const phone = await signIn();
  const laptop = await signIn();
  const colleague = await signIn("bob");
  other.accountId = "ada";
  // The cookies at the provider are those of the last browser: the colleague's.
  const text = await (await other.browse("/session/end")).text();
  const { action, form } = confirm({ url: "", text });
  await other.browse(action, form);
  await until("the session has ended", async () => !(await isSignedIn(colleague)));
  assert.deepEqual([await isSignedIn(phone), await isSignedIn(laptop)], [true, true]);
  const { rows } = await world.service.pool.query<{ details: object }>(
    "select details from auth.audit_events where details->>'by' = 'provider'",
  );
  assert.equal(rows.length, 1);
});

it("while the provider is down, sessions go on, people sign out, the page says it", async () => {
  const { service } = world;
  const browser = await signIn();
  const identityProvider = settingsOf("http://127.0.0.1:1");
  const down = await service.startAnother({ identityProvider });
  try {
    const there = (path: string) => `${down.authUrl}${path}`;
    // Cookies have the port in their names.
    const moved = new TestBrowser();
    for (const [key, cookie] of browser.cookies) {
      const rename = (name: string) => name.replace(`_${service.port}`, `_${down.port}`);
      moved.cookies.set(rename(key), { ...cookie, name: rename(cookie.name) });
    }
    assert.match((await moved.open(there("/account"))).text, /You are signed in as/);
    const page = await moved.open(there("/session/end"));
    const { action, form } = confirm(page);
    const end = await moved.submit({ ...page, url: action }, form);
    assert.match(end.text, /You are signed out/);
    const refused = await moved.open(there("/account"));
    assert.equal(refused.status, 503);
    assert.match(refused.text, /Acme cannot be reached at the moment/);
    assert.doesNotMatch(refused.text, /type="password"/);
    assert.match(refused.text, /<button name="act" value="provider">Sign in with Acme</);
  } finally {
    await down.stop();
  }
});

it("logout tokens are checked, and without sid they end all sessions of the person", async () => {
  const other = await startDocumentedProvider();
  const { service } = world;
  const identityProvider = settingsOf(other.issuer);
  const started = await service.startAnother({ identityProvider });
  await service.pool.query(
    "update auth.accounts set provider_issuer = $1 where provider_subject = 'bob'",
    [other.issuer],
  );
  const now = Math.floor(Date.now() / 1000);
  const event = "http://schemas.openid.net/event/backchannel-logout";
  const claims = {
    iss: other.issuer,
    aud: "stowage",
    iat: now,
    exp: now + 120,
    jti: "x",
    sub: "bob",
    events: { [event]: {} },
  };
  const send = async (changes: object) => {
    const token = await other.sign({ ...claims, ...changes }, { typ: "logout+jwt" });
    const body = new URLSearchParams({ logout_token: token });
    return (await fetch(`${started.authUrl}/provider/logout`, { method: "POST", body })).status;
  };
  try {
    await signIn("ada");
    const refused = [
      { iss: "https://evil.example" },
      { aud: "somebody" },
      { events: undefined },
      { events: { other: {} } },
      { nonce: "x" },
      { sub: undefined },
      { iat: now - 3600, exp: now + 60 },
      { exp: now - 60 },
    ];
    for (const changes of refused) assert.equal(await send(changes), 400, JSON.stringify(changes));
    const signedOut = async () => {
      const { rows } = await service.pool.query<{ isOut: boolean }>(
        `select signed_out_at is not null as "isOut" from auth.accounts
         where provider_subject = 'bob'`,
      );
      return rows[0]?.isOut;
    };
    assert.equal(await signedOut(), false);
    assert.equal(await send({}), 200);
    assert.equal(await signedOut(), true);
    // Nobody is known by that name.
    assert.equal(await send({ sub: "nobody" }), 200);
  } finally {
    await started.stop();
    await other[Symbol.asyncDispose]();
  }
});
