/**
 * Two tabs of one browser that do things at once, in Chromium. Each round is another browser.
 *
 *     TWO_TABS_ROUNDS=20 npm test -- sign-in/two-tabs-browser
 */
import assert from "node:assert/strict";
import { hash, randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { chromiumMissing, patienceMs, startChromium } from "@stowage/process/testing";
import type * as oauth from "oauth4webapi";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Account } from "../store/accounts.ts";
import { type ClientSite, startClientSite } from "../testing/client-site.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  authorizationRequest,
  discover,
  testPassword,
} from "../testing/code-flow.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const rounds = Number(process.env.TWO_TABS_ROUNDS ?? 2);
const codeVerifier = randomBytes(32).toString("base64url");
const codeChallenge = hash("sha256", codeVerifier, "base64url");

interface Tokens {
  access_token: string;
  refresh_token: string;
  error?: string;
}

describe("two tabs at once", { skip: chromiumMissing }, () => {
  let service: TestService;
  let server: oauth.AuthorizationServer;
  let browser: Browser;
  let site: ClientSite;
  let acting: ActingClient;
  before(async () => {
    [service, browser] = await Promise.all([startTestService(), startChromium()]);
    server = await discover(service.authUrl);
    site = await startClientSite((_request, response) => response.end("the client"));
    acting = await addActingClient(service.pool, { redirectUris: [`${site.url}/callback`] });
  });
  after(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  /** Runs a test once in each round, with a new browser, two tabs and a person. */
  function eachRound(what: string, test: (tabs: [Page, Page], person: Account) => Promise<void>) {
    it(`${what}, ${rounds} rounds`, async () => {
      for (let round = 0; round < rounds; round += 1) {
        const context: BrowserContext = await browser.newContext();
        context.setDefaultTimeout(patienceMs);
        const person = await addPerson(service.pool);
        await test([await context.newPage(), await context.newPage()], person);
        await context.close();
      }
    });
  }

  const requestOf = (prompt?: string) => {
    const redirect_uri = `${site.url}/callback`;
    return authorizationRequest(server, acting.client, codeChallenge, { redirect_uri, prompt });
  };

  const open = (tab: Page, prompt?: string) => tab.goto(requestOf(prompt));

  async function signIn(tab: Page, { loginName }: Account): Promise<void> {
    await tab.getByLabel("Login name").fill(loginName);
    await tab.getByLabel("Password").fill(testPassword);
    await tab.getByRole("button", { name: "Sign in" }).click();
  }

  const allow = (tab: Page) => tab.getByRole("button", { name: "Allow", exact: true }).click();

  /** Waits until the tab is back at the client. */
  async function answerIn(tab: Page): Promise<URLSearchParams> {
    await tab.waitForURL(({ href }) => href.startsWith(`${site.url}/callback?`));
    return new URL(tab.url()).searchParams;
  }

  /** Asks the token endpoint, as a script of the client's page. */
  async function token(tab: Page, form: Record<string, string>): Promise<Tokens> {
    const body = `${new URLSearchParams({ ...form, client_id: acting.client.client_id })}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const request = JSON.stringify({ method: "POST", headers, body });
    const url = JSON.stringify(`${service.authUrl}/token`);
    return (await tab.evaluate(`fetch(${url}, ${request}).then((a) => a.json())`)) as Tokens;
  }

  async function redeem(tab: Page): Promise<Tokens> {
    const answer = await answerIn(tab);
    const code = answer.get("code") ?? assert.fail(`no code, but ${answer}`);
    return await token(tab, {
      grant_type: "authorization_code",
      code,
      redirect_uri: `${site.url}/callback`,
      code_verifier: codeVerifier,
    });
  }

  const refresh = (tab: Page, { refresh_token }: Tokens) =>
    token(tab, { grant_type: "refresh_token", refresh_token });

  async function statusOf({ access_token }: Tokens): Promise<number> {
    const headers = { authorization: `Bearer ${access_token}` };
    return (await fetch(`${service.authUrl}/userinfo`, { headers })).status;
  }

  async function beginSession(tab: Page, person: Account): Promise<Tokens> {
    await open(tab);
    await signIn(tab, person);
    await allow(tab);
    return await redeem(tab);
  }

  async function confirmLogout(tab: Page): Promise<void> {
    await tab.getByRole("button", { name: "Sign out", exact: true }).click();
    await tab.getByRole("heading", { name: /^You are signed out/ }).waitFor();
  }

  /** Checks that the browser has no session, and that nothing of one is valid. */
  async function assertNothingIsAlive(tab: Page, tokens: readonly Tokens[]): Promise<void> {
    await open(tab, "none");
    assert.equal((await answerIn(tab)).get("error"), "login_required");
    for (const each of tokens) {
      assert.equal(await statusOf(each), 401);
      assert.equal((await refresh(tab, each)).error, "invalid_grant");
    }
  }

  eachRound("both sign in, and one logout ends both", async (tabs, person) => {
    await Promise.all(tabs.map((tab) => open(tab)));
    await Promise.all(tabs.map((tab) => signIn(tab, person)));
    const tokens = await Promise.all(
      tabs.map(async (tab) => {
        await allow(tab);
        return await redeem(tab);
      }),
    );
    for (const each of tokens) assert.equal(await statusOf(each), 200);
    await tabs[0].goto(`${service.authUrl}/session/end`);
    await confirmLogout(tabs[0]);
    await assertNothingIsAlive(tabs[1], tokens);
  });

  eachRound("both refresh with the same token, and both go on", async (tabs, person) => {
    let tokens = await beginSession(tabs[0], person);
    await tabs[1].goto(site.url);
    for (let time = 0; time < 3; time += 1) {
      const both = await Promise.all(tabs.map((tab) => refresh(tab, tokens)));
      for (const each of both) {
        assert.equal(each.error, undefined);
        assert.equal(await statusOf(each), 200);
      }
      tokens = both[time % 2] as Tokens;
    }
  });

  eachRound(
    "one renews while the other consents, and the session lives on",
    async (tabs, person) => {
      const [consenting, renewing] = tabs;
      await beginSession(consenting, person);
      await open(consenting, "consent");
      const renewals = async () => {
        const codes: (string | null)[] = [];
        for (let time = 0; time < 3; time += 1) {
          await open(renewing, "none");
          codes.push((await answerIn(renewing)).get("code"));
        }
        return codes;
      };
      const [codes] = await Promise.all([renewals(), allow(consenting)]);
      assert.ok(codes.every((code) => code !== null));
      assert.equal(await statusOf(await redeem(consenting)), 200);
      await open(renewing, "none");
      assert.equal(await statusOf(await redeem(renewing)), 200);
    },
  );

  eachRound("one signs out while the other renews, and nothing is alive", async (tabs, person) => {
    const [ending, renewing] = tabs;
    const tokens = [await beginSession(ending, person)];
    await ending.goto(`${service.authUrl}/session/end`);
    const renew = async () => {
      await open(renewing, "none");
      const answer = await answerIn(renewing);
      if (answer.has("code")) tokens.push(await redeem(renewing));
      else assert.equal(answer.get("error"), "login_required");
    };
    await Promise.all([renew(), confirmLogout(ending)]);
    const issued = tokens.filter(({ error }) => error === undefined);
    await assertNothingIsAlive(renewing, issued);
  });
});
