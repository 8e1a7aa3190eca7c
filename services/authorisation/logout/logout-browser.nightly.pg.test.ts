/** Signing out in a real browser, which decides what cookies it sends and what it blocks. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { chromiumMissing, startChromium } from "@stowage/process/testing";
import type { Browser, Page } from "playwright-core";
import type { Account } from "../store/accounts.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  authorizationRequest,
  discover,
  testPassword,
} from "../testing/code-flow.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

describe("signing out in a browser", { skip: chromiumMissing }, () => {
  let service: TestService;
  let browser: Browser;
  /** The client's own site: another origin than the service's, and with localhost another site. */
  let site: Server;
  let siteUrl = "";
  let acting: ActingClient;
  before(async () => {
    [service, browser] = await Promise.all([startTestService(), startChromium()]);
    site = createServer((_request, response) => response.end(formOfTheClient())).listen(0);
    await once(site, "listening");
    siteUrl = `http://localhost:${(site.address() as AddressInfo).port}`;
    acting = await addActingClient(service.pool, {
      redirectUris: [`${siteUrl}/callback`],
      postLogoutRedirectUris: [`${siteUrl}/signed-out`],
    });
  });
  after(async () => {
    await browser.close();
    site.close();
    await service[Symbol.asyncDispose]();
  });

  function formOfTheClient(): string {
    const field = (name: string, value: string) => `<input name="${name}" value="${value}">`;
    return `<!doctype html><form action="${service.authUrl}/session/end">
      ${field("client_id", acting.client.client_id)}
      ${field("post_logout_redirect_uri", `${siteUrl}/signed-out`)}<button>Out</button></form>`;
  }

  /** Opens the client's request and signs in. `complaints` has what the browser reports. */
  async function signIn(page: Page, person: Account, prompt?: string): Promise<void> {
    const server = await discover(service.authUrl);
    const changes = { redirect_uri: `${siteUrl}/callback`, prompt };
    await page.goto(authorizationRequest(server, acting.client, "a".repeat(43), changes));
    await page.getByLabel("Login name").fill(person.loginName);
    await page.getByLabel("Password").fill(testPassword);
    await page.getByRole("button", { name: "Sign in" }).click();
  }

  async function allow(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.waitForURL((url) => url.href.startsWith(`${siteUrl}/callback?code=`));
  }

  for (const javaScriptEnabled of [false, true]) {
    it(`works ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
      const context = await browser.newContext({ javaScriptEnabled });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => {
        // oidc-provider's own page lets browsers ask for an icon, which there is not.
        if (message.location().url.endsWith("/favicon.ico")) return;
        if (["error", "warning"].includes(message.type())) complaints.push(message.text());
      });
      await signIn(page, await addPerson(service.pool));
      await allow(page);

      // A form on the site of the client.
      await page.getByRole("button", { name: "Out" }).click();
      await page.getByRole("heading", { name: "Sign out?" }).waitFor();
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await page.waitForURL(`${siteUrl}/signed-out`);
      await page.goto(`${service.authUrl}/session/end`);
      if (!javaScriptEnabled) await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("heading", { name: "You are signed out" }).waitFor();
      assert.deepEqual(complaints, []);
      await context.close();
    });
  }

  it("lets another person sign in", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await signIn(page, await addPerson(service.pool));
    await allow(page);
    await signIn(page, await addPerson(service.pool), "login");
    await allow(page);
    await context.close();
  });
});
