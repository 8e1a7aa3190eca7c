/** Links that sign in, in a real browser, which sends Fetch Metadata headers. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { chromiumMissing, patienceMs, startChromium } from "@stowage/process/testing";
import type { Browser } from "playwright-core";
import type { Account } from "../store/accounts.ts";
import { addSignInLink } from "../store/sign-in-links.ts";
import { addPerson } from "../testing/code-flow.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

describe("a link that signs in, in a browser", { skip: chromiumMissing }, () => {
  let service: TestService;
  let browser: Browser;
  let other: Server;
  let site: string;
  let person: Account;
  let link: string;
  before(async () => {
    [service, browser] = await Promise.all([startTestService(), startChromium()]);
    // A page that contains the link, as a chat would show it. It is also where links lead.
    other = createServer((_request, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end(`<h1>The other site</h1><a href="${link}">a link</a>`);
    }).listen(0);
    await once(other, "listening");
    site = `http://localhost:${(other.address() as AddressInfo).port}/`;
    person = await addPerson(service.pool);
  });
  after(async () => {
    await browser.close();
    other.close();
    await service[Symbol.asyncDispose]();
  });

  async function openPage() {
    const context = await browser.newContext();
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    const { accountId } = person;
    const secret = await addSignInLink(service.pool, { accountId, returnTo: site });
    link = `${service.authUrl}/sign-in-link?key=${secret}`;
    return { context, page, complaints };
  }

  const signedInAs = async (page: Awaited<ReturnType<typeof openPage>>["page"]) => {
    await page.goto(`${service.authUrl}/account`);
    return await page.locator("p").first().textContent();
  };

  it("signs in at once if its address is entered", async () => {
    const { context, page } = await openPage();
    await page.goto(link);
    assert.equal(page.url(), site);
    assert.equal(await signedInAs(page), `You are signed in as ${person.loginName}.`);
    await context.close();
  });

  it("asks, on the page of another site, and then goes on", async () => {
    const { context, page, complaints } = await openPage();
    await page.goto(site);
    await page.getByRole("link", { name: "a link" }).click();
    const button = page.getByRole("button", { name: `Sign in as ${person.loginName}` });
    await button.click();
    await page.waitForURL(site);
    await page.getByRole("heading", { name: "The other site" }).waitFor();
    assert.equal(await signedInAs(page), `You are signed in as ${person.loginName}.`);
    assert.deepEqual(complaints, []);
    await context.close();
  });
});
