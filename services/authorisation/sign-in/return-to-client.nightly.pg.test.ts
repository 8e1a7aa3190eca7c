/** The way back to the client in a real browser, which enforces the headers of the pages. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { chromiumMissing, patienceMs, startChromium } from "@stowage/process/testing";
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

describe("back to the client", { skip: chromiumMissing }, () => {
  let service: TestService;
  let browser: Browser;
  /** Where the client's own addresses redirect to. */
  let elsewhere: ClientSite;
  let site: ClientSite;
  let acting: ActingClient;
  let person: Account;
  before(async () => {
    [service, browser] = await Promise.all([startTestService(), startChromium()]);
    elsewhere = await startClientSite((_request, response) => response.end("elsewhere"));
    site = await startClientSite((request, response) => {
      const { pathname, search } = new URL(request.url ?? "", "http://localhost");
      if (!pathname.startsWith("/moved")) return response.end("the client");
      return response.writeHead(303, { Location: elsewhere.url + pathname + search }).end();
    });
    acting = await addActingClient(service.pool, {
      redirectUris: ["/callback", "/moved"].map((path) => site.url + path),
      postLogoutRedirectUris: [`${site.url}/moved-out`],
    });
    person = await addPerson(service.pool);
  });
  after(async () => {
    await browser.close();
    await Promise.all([site, elsewhere, service].map((each) => each[Symbol.asyncDispose]()));
  });

  async function request(path: string, changes: Record<string, string> = {}): Promise<string> {
    const server = await discover(service.authUrl);
    const redirect_uri = site.url + path;
    return authorizationRequest(server, acting.client, "a".repeat(43), {
      redirect_uri,
      ...changes,
    });
  }

  async function withContext(
    test: (context: BrowserContext) => Promise<void>,
    options: { javaScriptEnabled?: boolean } = {},
  ): Promise<void> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(patienceMs);
    await test(context);
    await context.close();
  }

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel("Login name").fill(person.loginName);
    await page.getByLabel("Password").fill(testPassword);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: /^Allow / }).waitFor();
  }

  const arrive = (page: Page, start: string) =>
    page.waitForURL(({ href }) => href.startsWith(start));
  const allow = (page: Page) => page.getByRole("button", { name: "Allow", exact: true }).click();

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";

    it(`callbacks and ends of a logout may redirect to another origin, ${how}`, async () => {
      await withContext(
        async (context) => {
          const page = await context.newPage();
          await page.goto(await request("/moved", { prompt: "consent" }));
          await signIn(page);
          await allow(page);
          await arrive(page, `${elsewhere.url}/moved?code=`);

          const end = new URLSearchParams({
            client_id: acting.client.client_id,
            post_logout_redirect_uri: `${site.url}/moved-out`,
          });
          await page.goto(`${service.authUrl}/session/end?${end}`);
          await page.getByRole("button", { name: "Sign out", exact: true }).click();
          await arrive(page, `${elsewhere.url}/moved-out`);
        },
        { javaScriptEnabled },
      );
    });
  }

  it("a refusal reaches a callback that redirects to another origin", async () => {
    await withContext(async (context) => {
      const page = await context.newPage();
      await page.goto(await request("/moved"));
      await page.getByRole("button", { name: "Cancel" }).click();
      await arrive(page, `${elsewhere.url}/moved?error=access_denied`);
    });
  });

  /** Opens an address in a popup of the client's page. */
  async function openPopup(context: BrowserContext, address: string): Promise<[Page, Page]> {
    const opener = await context.newPage();
    await opener.goto(`${site.url}/`);
    const popup = context.waitForEvent("page");
    await opener.evaluate(`{ window.popup = window.open(${JSON.stringify(address)}) }`);
    return [opener, await popup];
  }

  it("a popup keeps its opener until the callback", async () => {
    await withContext(async (context) => {
      const [opener, popup] = await openPopup(
        context,
        await request("/callback", { prompt: "login consent" }),
      );
      await popup.getByLabel("Login name").fill(person.loginName);
      await popup.getByLabel("Password").fill("not the password");
      await popup.getByRole("button", { name: "Sign in" }).click();
      await popup.getByRole("alert").waitFor();
      assert.equal(await opener.evaluate("window.popup.closed"), false);
      await signIn(popup);
      await allow(popup);
      await arrive(popup, `${site.url}/callback?code=`);
      assert.equal(await popup.evaluate("window.opener.location.href"), `${site.url}/`);
    });
  });

  it("a popup with a page that is no way back to a client loses its opener", async () => {
    await withContext(async (context) => {
      const address = await request("/not-registered");
      const [opener, popup] = await openPopup(context, address);
      await popup.getByRole("heading", { name: "This does not work" }).waitFor();
      assert.equal(await popup.evaluate("window.opener"), null);
      assert.equal(await opener.evaluate("window.popup.closed"), true);
    });
  });
});
