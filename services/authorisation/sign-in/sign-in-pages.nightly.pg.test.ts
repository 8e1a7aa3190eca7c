import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { relayDatabase } from "@stowage/process/testing";
import type * as oauth from "oauth4webapi";
import type { Account } from "../store/accounts.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  authorizationRequest,
  callback,
  discover,
  runCodeFlow,
  startSignInService,
  testPassword,
} from "../testing/code-flow.ts";
import { TestBrowser, type Visited } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
let service: TestService;
let server: oauth.AuthorizationServer;
let acting: ActingClient;
let person: Account;
before(async () => {
  ({ service, server, acting, person } = await startSignInService());
});
after(() => service[Symbol.asyncDispose]());

async function openLogin(browser = new TestBrowser(), changes = {}, client = acting.client) {
  return await browser.open(authorizationRequest(server, client, challenge, changes));
}

const signIn = (login_name: string, password = testPassword) => ({
  act: "sign-in",
  login_name,
  password,
});

describe("every page", () => {
  it("cannot be framed or cached, and runs no script", async () => {
    const browser = new TestBrowser();
    const login = await openLogin(browser);
    const consent = await browser.submit(login, signIn(person.loginName));
    const refusal = await openLogin(new TestBrowser(), { redirect_uri: "https://x.example" });
    const lost = await new TestBrowser().open(login.url);
    for (const { headers, text } of [login, consent, refusal, lost]) {
      const policy = headers.get("content-security-policy") ?? "";
      assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']{44}'; frame-ancestors /);
      assert.match(policy, /; frame-ancestors 'none'; base-uri 'none'(; form-action 'self')?$/);
      assert.ok(!policy.includes("unsafe"));
      assert.equal(headers.get("x-frame-options"), "DENY");
      assert.equal(headers.get("cache-control"), "no-store");
      assert.equal(headers.get("referrer-policy"), "same-origin");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
      assert.match(text, /^<!doctype html>\n<html lang="en">/);
      assert.doesNotMatch(text, /<script|\son\w+=|\sstyle=|https?:\/\/(?!127)/);
    }
  });

  it("escapes names that others have chosen", async () => {
    const name = `<img src=x onerror=alert(1)>"'&`;
    const { client } = await addActingClient(service.pool, { name });
    const browser = new TestBrowser();
    const hint = `"><script>alert(1)</script>`;
    const login = await openLogin(browser, { login_hint: hint }, client);
    const failed = await browser.submit(login, signIn(hint));
    const consent = await browser.submit(login, signIn(person.loginName));
    for (const { text } of [login, failed, consent]) {
      assert.doesNotMatch(text, /<(img|script)/);
      assert.ok(text.includes("&#60;img src=x onerror=alert(1)&#62;&#34;&#39;&#38;"));
    }
  });
});

describe("signing in", () => {
  const wrongs: [string, () => Promise<[string, string]> | [string, string]][] = [
    ["a wrong password", () => [person.loginName, "another password"]],
    ["a name that nobody has", () => ["nobody@example.com", testPassword]],
    ["a name that cannot be one", () => ["\0 ", testPassword]],
    ["nothing", () => ["", ""]],
    [
      "an account of another organisation",
      async () => [
        (await addPerson(service.pool, { organisationId: "globex" })).loginName,
        testPassword,
      ],
    ],
  ];
  for (const [what, make] of wrongs) {
    it(`with ${what} is refused in the same words, and can be tried again`, async () => {
      const [loginName, password] = await make();
      const browser = new TestBrowser();
      const failed = await browser.submit(await openLogin(browser), signIn(loginName, password));
      assert.equal(failed.status, 400);
      assert.match(failed.text, /<title>Error: Sign in<\/title>/);
      assert.match(failed.text, /role="alert"[\s\S]*The login name or the password is wrong\./);
      assert.match(failed.text, /aria-invalid="true" aria-describedby="problem-text"/);
      assert.ok(!failed.text.includes(testPassword));
      const consent = await browser.submit(failed, signIn(person.loginName.toUpperCase()));
      assert.match(consent.text, /You are signed in as/);
    });
  }

  it("takes as long for unknown as for known names", async () => {
    const browser = new TestBrowser();
    const login = await openLogin(browser);
    const took = { known: [] as number[], unknown: [] as number[] };
    for (let round = 0; round < 5; round++) {
      for (const [kind, name] of [
        ["known", person.loginName],
        ["unknown", "nobody@example.com"],
      ] as const) {
        const began = performance.now();
        await browser.submit(login, signIn(name, "another password"));
        took[kind].push(performance.now() - began);
      }
    }
    // The hash takes far longer than all else: leaving it out would show.
    assert.ok(Math.min(...took.unknown) > Math.min(...took.known) / 2, JSON.stringify(took));
  });

  it("sets a cookie that scripts cannot read and forms of other sites do not send", async () => {
    const { headers } = await fetch(authorizationRequest(server, acting.client, challenge), {
      redirect: "manual",
    });
    for (const cookie of headers.getSetCookie()) {
      assert.match(cookie, /; samesite=lax/i);
      assert.match(cookie, /; httponly/i);
    }
  });

  it("sets cookies that no other host can set, if AUTH_URL is https", async () => {
    const bases = {
      "https://login.example.com": "__Host-",
      "https://example.com/login": "__Secure-",
    };
    for (const [authUrl, prefix] of Object.entries(bases)) {
      const another = await service.startAnother({ authUrl });
      const { origin, pathname } = new URL(authUrl);
      const local = (url: string) => url.replace(origin, `http://127.0.0.1:${another.port}`);
      const asked = { ...server, authorization_endpoint: local(`${authUrl}/auth`) };
      const manual = { redirect: "manual" } as const;
      const redirected = await fetch(authorizationRequest(asked, acting.client, challenge), manual);
      const interaction = redirected.headers.getSetCookie();
      const page = await fetch(
        local(new URL(redirected.headers.get("location") ?? "", origin).href),
        {
          ...manual,
          method: "POST",
          headers: { cookie: pairsOf(interaction), origin },
          body: new URLSearchParams(signIn(person.loginName)),
        },
      );
      const resumed = await fetch(local(page.headers.get("location") ?? ""), {
        ...manual,
        headers: { cookie: pairsOf(interaction) },
      });
      const session = resumed.headers
        .getSetCookie()
        .filter((cookie) => cookie.includes("_session="));
      const path = `; path=${prefix === "__Host-" ? "/" : pathname};`;
      const ours = (cookie: string) =>
        cookie.startsWith(`${prefix}stowage_session=`) && cookie.includes(path);
      assert.deepEqual(session.map(ours), [true], session.join());
      for (const cookie of [...interaction, ...session]) assert.match(cookie, /^__.*; secure/);
      await another.stop();
    }
  });

  it("keeps its cookies apart from those of a service at another port of the host", async () => {
    await using another = await startTestService();
    const browser = new TestBrowser();
    const here = await addActingClient(service.pool);
    const there = await addActingClient(another.pool);
    await runCodeFlow(service.authUrl, here, await addPerson(service.pool), { browser });
    await runCodeFlow(another.authUrl, there, await addPerson(another.pool), { browser });
    const { url } = await openLogin(browser, { prompt: "none" }, here.client);
    assert.equal(new URL(url).searchParams.get("error"), null, "the person is still signed in");
  });

  function pairsOf(cookies: readonly string[]): string {
    return cookies.map((cookie) => cookie.split(";", 1)[0]).join("; ");
  }

  it("is not possible with a form of another site, or in another browser", async () => {
    const browser = new TestBrowser();
    const { url } = await openLogin(browser);
    const body = new URLSearchParams(signIn(person.loginName));
    const strangers: Record<string, string>[] = [
      { origin: "https://attacker.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "content-type": "text/plain" },
    ];
    for (const headers of strangers) {
      const { status } = await browser.open(url, { method: "POST", body, headers });
      assert.equal(status, 403, JSON.stringify(headers));
    }
    for (const stranger of [new TestBrowser(), await withOtherRequest()]) {
      const page = await stranger.open(url, { method: "POST", body });
      assert.equal(page.status, 400);
      assert.match(page.text, /This page has expired/);
    }
    const consent = await browser.open(url, { method: "POST", body });
    assert.equal(consent.status, 200, "its own browser still can");
  });

  /** A browser whose cookies are for another request. */
  async function withOtherRequest(): Promise<TestBrowser> {
    const browser = new TestBrowser();
    await openLogin(browser);
    for (const cookie of browser.cookies.values()) cookie.path = "/";
    return browser;
  }

  it("can succeed any number of times", async () => {
    const limits = { addressLoginsPerMinuteMax: 1, accountLoginsPerMinuteMax: 1 };
    await using limited = await startTestService(limits);
    const { client } = await addActingClient(limited.pool);
    const { loginName } = await addPerson(limited.pool);
    const metadata = await discover(limited.authUrl);
    for (let times = 1; times <= 3; times++) {
      const browser = new TestBrowser();
      const login = await browser.open(authorizationRequest(metadata, client, challenge));
      const consent = await browser.submit(login, signIn(loginName));
      assert.match(consent.text, /You are signed in as/);
    }
  });

  it("can fail a limited number of times, from one address and for one account", async () => {
    const limits = { addressLoginsPerMinuteMax: 4, accountLoginsPerMinuteMax: 2 };
    await using limited = await startTestService(limits);
    const { client } = await addActingClient(limited.pool);
    const { loginName } = await addPerson(limited.pool);
    const metadata = await discover(limited.authUrl);
    const browser = new TestBrowser();
    const login = await browser.open(authorizationRequest(metadata, client, challenge));
    const attempt = (name: string) => browser.submit(login, signIn(name, "wrong password"));
    const pages: Visited[] = [];
    for (const name of [loginName, loginName.toUpperCase(), loginName, "b", "c"]) {
      pages.push(await attempt(name));
    }
    assert.deepEqual(
      pages.map(({ status }) => status),
      [400, 400, 429, 400, 429],
    );
    for (const { headers, text } of pages.filter(({ status }) => status === 429)) {
      assert.ok(Number(headers.get("retry-after")) > 0);
      assert.match(text, /There were too many attempts/);
    }
  });

  it("reports an outage of the database, and works after it", async () => {
    const database = await relayDatabase(service.databaseUrl);
    const another = await service.startAnother({ databaseUrl: database.databaseUrl });
    const metadata = await discover(another.authUrl);
    const browser = new TestBrowser();
    const login = await browser.open(authorizationRequest(metadata, acting.client, challenge));
    await database.cut();
    const failed = await browser.submit(login, signIn(person.loginName));
    assert.equal(failed.status, 503);
    assert.ok(Number(failed.headers.get("retry-after")) > 0);
    assert.match(failed.text, /This does not work at the moment/);
    await database.mend();
    const later = await browser.submit(login, signIn(person.loginName));
    assert.match(later.text, /You are signed in as/);
    await another.stop();
    await database.cut();
  });
});

it("only pages of the client may read the answers of the token endpoint", async () => {
  const { server: metadata, tokens } = await runCodeFlow(service.authUrl, acting, person);
  const ask = async (origin: string, path = metadata.token_endpoint ?? "") => {
    const form = { grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "x" };
    const body = new URLSearchParams({ client_id: acting.client.client_id, ...form });
    const response = await fetch(path, { method: "POST", headers: { origin }, body });
    return response.headers.get("access-control-allow-origin");
  };
  const own = new URL(callback).origin;
  assert.equal(await ask(own), own);
  for (const origin of ["https://attacker.example", "null", `${own}:8443`]) {
    assert.equal(await ask(origin), null, origin);
  }
});
