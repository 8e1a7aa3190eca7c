/** oidc-client-ts in a real browser: a page of another site signs people in by its defaults. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { chromiumMissing, patienceMs, startChromium } from "@stowage/process/testing";
import type { UserManagerSettings } from "oidc-client-ts";
import type { Browser, Page } from "playwright-core";
import type { Account } from "../store/accounts.ts";
import { type ClientSite, startClientSite } from "../testing/client-site.ts";
import { addActingClient, addPerson, testPassword } from "../testing/code-flow.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const libraryFile = new URL(
  "../browser/oidc-client-ts.min.js",
  import.meta.resolve("oidc-client-ts"),
);

describe("oidc-client-ts", { skip: chromiumMissing }, () => {
  let service: TestService;
  let browser: Browser;
  let site: ClientSite;
  let person: Account;
  let settings: UserManagerSettings | undefined;
  before(async () => {
    [service, browser] = await Promise.all([startTestService(), startChromium()]);
    const library = await readFile(fileURLToPath(libraryFile));
    site = await startClientSite((request, response) => {
      const isLibrary = request.url === "/library.js";
      response.setHeader("Content-Type", isLibrary ? "text/javascript" : "text/html");
      response.end(isLibrary ? library : pageOf(settings));
    });
    const { client } = await addActingClient(service.pool, {
      redirectUris: [`${site.url}/callback`],
      postLogoutRedirectUris: [`${site.url}/callback`],
    });
    settings = {
      authority: service.authUrl,
      client_id: client.client_id,
      redirect_uri: `${site.url}/callback`,
    };
    person = await addPerson(service.pool, { email: "ada@example.org" });
  });
  after(async () => {
    await browser.close();
    await site[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  async function openPage(): Promise<Page> {
    const context = await browser.newContext();
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    await page.goto(`${site.url}/`);
    return page;
  }

  /** Signs in, and consents if asked. */
  async function signIn(page: Page): Promise<void> {
    await page.getByLabel("Login name").fill(person.loginName);
    await page.getByLabel("Password").fill(testPassword);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
  }

  it("signs in by redirects, refreshes, and signs out", async () => {
    const page = await openPage();
    await page.evaluate("void manager.signinRedirect({ prompt: 'consent' })");
    await signIn(page);
    await page.waitForURL((url) => url.href.startsWith(`${site.url}/callback?code=`));
    const user = (await page.evaluate("called")) as Record<string, string>;
    assert.equal(user.scope, "openid");
    const renewed = (await page.evaluate("manager.signinSilent()")) as Record<string, string>;
    assert.notEqual(renewed.access_token, user.access_token);

    await page.evaluate("manager.revokeTokens()");
    await page.evaluate("void manager.signoutRedirect()");
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { name: /^You are signed out/ }).waitFor();
    await page.context().close();
  });

  it("signs in in a popup, and reads userinfo", async () => {
    const page = await openPage();
    const popup = page.waitForEvent("popup");
    const more = "{ prompt: 'consent', scope: 'openid profile email address' }";
    await page.evaluate(`{
      manager.settings.loadUserInfo = true;
      window.user = manager.signinPopup(${more});
      void 0;
    }`);
    await signIn(await popup);
    const user = (await page.evaluate("user")) as { profile: Record<string, string> };
    const { sub, email } = user.profile;
    assert.deepEqual([sub, email], [`urn:svc:user:${person.accountId}`, person.email]);

    // The session is known to the service, but not to another page of the client.
    const other = await page.context().newPage();
    await other.goto(`${site.url}/`);
    await other.evaluate("void manager.signinRedirect()");
    await other.waitForURL((url) => url.href.startsWith(`${site.url}/callback?code=`));
    await page.context().close();
  });
});

/** A page that uses the library, also as the callback. */
function pageOf(settings: UserManagerSettings | undefined): string {
  return `<!doctype html><title>The client</title><script src="/library.js"></script><script>
    const manager = new oidc.UserManager(${JSON.stringify(settings)});
    const called = location.pathname === "/callback" && manager.signinCallback();
  </script>`;
}
