/** The pages in a real browser, which applies policies and has a keyboard focus. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { chromiumMissing, patienceMs, startChromium } from "@stowage/process/testing";
import * as oauth from "oauth4webapi";
import type { Browser, Page } from "playwright-core";
import type { Account } from "../store/accounts.ts";
import {
  addActingClient,
  addPerson,
  authorizationRequest,
  discover,
  testPassword,
} from "../testing/code-flow.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

describe("in a browser", { skip: chromiumMissing }, () => {
  let service: TestService;
  let browser: Browser;
  let client: Server;
  let callback: string;
  let person: Account;
  before(async () => {
    [service, browser] = await Promise.all([startTestService(), startChromium()]);
    client = createServer((_request, response) => response.end("back at the client")).listen(0);
    await once(client, "listening");
    // Another origin than the service's, so that the policy for forms counts.
    callback = `http://localhost:${(client.address() as AddressInfo).port}/callback`;
    person = await addPerson(service.pool);
  });
  after(async () => {
    await browser.close();
    client.close();
    await service[Symbol.asyncDispose]();
  });

  /** Opens the login page for a new client. `complaints` has what the browser reports. */
  async function openLogin(javaScriptEnabled: boolean) {
    const context = await browser.newContext({ javaScriptEnabled });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    const acting = await addActingClient(service.pool, { redirectUris: [callback] });
    const server = await discover(service.authUrl);
    const challenge = await oauth.calculatePKCECodeChallenge(oauth.generateRandomCodeVerifier());
    const changes = { redirect_uri: callback };
    await page.goto(authorizationRequest(server, acting.client, challenge, changes));
    return { context, page, complaints };
  }

  for (const javaScriptEnabled of [false, true]) {
    const how = javaScriptEnabled ? "with JavaScript" : "without JavaScript";

    it(`a person signs in and consents, by keyboard alone, ${how}`, async () => {
      const { context, page, complaints } = await openLogin(javaScriptEnabled);
      assert.equal(await page.title(), "Sign in");
      // The first field has the focus.
      await page.keyboard.type(person.loginName);
      await page.keyboard.press("Tab");
      await page.keyboard.type("not the password");
      await page.keyboard.press("Enter");

      await page.getByRole("alert").waitFor();
      assert.equal(await page.title(), "Error: Sign in");
      assert.equal(await page.getByLabel("Login name").inputValue(), person.loginName);
      assert.equal(await page.getByLabel("Password").inputValue(), "");
      // The name is there: the password has the focus.
      await page.keyboard.type(testPassword);
      await page.keyboard.press("Enter");

      await page.getByRole("heading", { name: /^Allow / }).waitFor();
      const wishes = page.getByRole("list", { name: "The page asks to:" }).getByRole("listitem");
      assert.deepEqual(await wishes.allTextContents(), [
        "Know who you are",
        "See the uploads and folders of your organisation",
      ]);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");

      await page.waitForURL((url) => url.href.startsWith(callback));
      assert.ok(new URL(page.url()).searchParams.get("code"));
      assert.match(complaints.join("\n"), /^Failed to load resource: .* status of 400 .*$/);
      await context.close();
    });

    it(`a person declines, ${how}`, async () => {
      const { context, page } = await openLogin(javaScriptEnabled);
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.waitForURL((url) => url.href.startsWith(callback));
      assert.equal(new URL(page.url()).searchParams.get("error"), "access_denied");
      await context.close();
    });
  }

  it("the style is applied, and text has enough contrast in light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { context, page, complaints } = await openLogin(true);
      await page.emulateMedia({ colorScheme });
      for (const selector of ["h1", ".quiet", "label", "button", "button.second"]) {
        const ratio = await contrastOf(page, selector);
        assert.ok(ratio >= 4.5, `${selector}, ${colorScheme}: ${ratio}`);
      }
      assert.deepEqual(complaints, []);
      await context.close();
    }
  });

  it("a narrow screen needs no sideways scrolling", async () => {
    const { context, page } = await openLogin(true);
    await page.setViewportSize({ width: 320, height: 640 });
    const widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]");
    const [needed = 0, given = 0] = widths as number[];
    assert.ok(needed <= given, `${needed} of ${given}`);
    await context.close();
  });
});

/** The contrast of an element's text (WCAG 2.2, 1.4.3). */
async function contrastOf(page: Page, selector: string): Promise<number> {
  const colours = await page.evaluate(
    `(() => {
      let element = document.querySelector(${JSON.stringify(selector)});
      const colour = getComputedStyle(element).color;
      const isClear = () => getComputedStyle(element).backgroundColor === "rgba(0, 0, 0, 0)";
      while (isClear()) element = element.parentElement;
      return [colour, getComputedStyle(element).backgroundColor];
    })()`,
  );
  const [text = 0, ground = 0] = (colours as string[]).map(luminanceOf);
  return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((digits) => {
    const part = Number(digits) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
