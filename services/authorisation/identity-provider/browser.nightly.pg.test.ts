/** The way to the provider and back in a real browser, which applies policies to both. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { chromiumMissing, patienceMs, startChromium } from "@stowage/process/testing";
import * as oauth from "oauth4webapi";
import type { Browser } from "playwright-core";
import { type ClientSite, startClientSite } from "../testing/client-site.ts";
import {
  addActingClient,
  addPerson,
  authorizationRequest,
  discover,
} from "../testing/code-flow.ts";
import { startTwoProviders } from "../testing/other-provider.ts";

describe("in a browser", { skip: chromiumMissing }, () => {
  let world: Awaited<ReturnType<typeof startTwoProviders>>;
  let browser: Browser;
  let client: ClientSite;
  before(async () => {
    [world, browser, client] = await Promise.all([
      startTwoProviders({ person: { groups: ["staff"], preferred_username: "ada" } }, [{}]),
      startChromium(),
      startClientSite((_request, response) => response.end("back at the client")),
    ]);
  });
  after(async () => {
    await browser.close();
    await client[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  /** Opens the page of a new client's request in a new browser. */
  async function open() {
    const { service } = world;
    const context = await browser.newContext();
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    const redirectUri = `${client.url}/callback`;
    const acting = await addActingClient(service.pool, { redirectUris: [redirectUri] });
    const server = await discover(service.authUrl);
    const challenge = await oauth.calculatePKCECodeChallenge(oauth.generateRandomCodeVerifier());
    const changes = { redirect_uri: redirectUri };
    await page.goto(authorizationRequest(server, acting.client, challenge, changes));
    return { context, page, complaints };
  }

  it("without passwords a person is asked for consent only", async () => {
    const { context, page, complaints } = await open();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByText("back at the client").waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  });

  it("with passwords there is a button, also for a second tab", async () => {
    await addPerson(world.service.pool);
    const { context, page, complaints } = await open();
    const button = page.getByRole("button", { name: "Sign in with Acme" });
    const second = await context.newPage();
    await second.goto(page.url().replace(/\/interaction\/.*/, "/account"));
    await button.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByText("back at the client").waitFor();
    await second.getByRole("button", { name: "Sign in with Acme" }).click();
    await second.getByText("You are signed in as ada").waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  });
});
