/** The authorisation service's page for accounts: sessions, consents and the password. */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import {
  chromiumMissing,
  createTestDatabase,
  startChromium,
  type TestDatabase,
  until,
} from "@stowage/process/testing";
import type { Browser, Page } from "playwright-core";
import { type RunStowage, type Service, startService, stowageOn } from "../testing/programs.ts";
import { seriousFindings } from "./testing/audit.ts";
import { addPerson, type Person } from "./testing/page-programs.ts";
import { fillSignInForm, openVisitor, type Visitor } from "./testing/visitor.ts";

/** On the site of a client. The test answers for that site. */
const redirectUri = "https://reader.example/callback";
const themes = ["light", "dark"] as const;

describe("the account page", { skip: chromiumMissing }, () => {
  let database: TestDatabase;
  let browser: Browser;
  let service: Service;
  let run: RunStowage;
  before(async () => {
    database = await createTestDatabase();
    run = stowageOn(database.databaseUrl);
    [browser, service] = await Promise.all([
      startChromium(),
      startService("authorisation", {
        HOST: "127.0.0.1",
        PORT: "0",
        DATABASE_URL: database.databaseUrl,
        LOG_LEVEL: "warn",
        KEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      }),
    ]);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await database?.drop();
  });

  const addSomebody = () => addPerson(run, "acme", `${randomUUID()}@example.com`);

  /** Opens the page in a new browser, and signs in. */
  async function openAccount(person: Person): Promise<Visitor> {
    const visitor = await openVisitor({ browser, url: service.url });
    await visitor.page.goto(`${service.url}/account`);
    await fillSignInForm(visitor.page, { person });
    await visitor.page.getByText(`You are signed in as ${person.loginName}.`).waitFor();
    return visitor;
  }

  /** Lets a client ask for access, and allows it. */
  async function allowClient(page: Page, name: string): Promise<void> {
    const about = ["--organisation", "acme", "--name", name, "--public"];
    const added = await run(["clients", "add", ...about, "--redirect-uri", redirectUri, "--json"]);
    const request = new URLSearchParams({
      client_id: JSON.parse(added).clientId,
      response_type: "code",
      state: "1",
      nonce: "1",
      redirect_uri: redirectUri,
      scope: "openid upl:bucket:read",
      code_challenge: "a".repeat(43),
      code_challenge_method: "S256",
    });
    await page.route(`${redirectUri}?*`, (route) => route.fulfill({ body: "back at the client" }));
    await page.goto(`${service.url}/auth?${request}`);
    await page.getByRole("heading", { name: `Allow ${name}?` }).waitFor();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.waitForURL((url) => url.href.startsWith(redirectUri));
  }

  /** The items of a list; not those of the lists inside. */
  const rowsOf = (page: Page, name: string) => page.getByRole("list", { name }).locator("> li");
  const sessionsOn = (page: Page) => rowsOf(page, "Where you are signed in");

  it("ends the session of another browser", async () => {
    const person = await addSomebody();
    await using here = await openAccount(person);
    await using there = await openAccount(person);
    await here.page.reload();
    assert.equal(await sessionsOn(here.page).count(), 2);
    const other = sessionsOn(here.page).filter({ hasNotText: "this browser" });
    await other.getByRole("button", { name: /^End the session of / }).click();
    await here.page.getByRole("status").filter({ hasText: "The session has ended." }).waitFor();
    assert.match(await sessionsOn(here.page).innerText(), /this browser/);
    await there.page.reload();
    await there.page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.deepEqual([...here.complaints, ...there.complaints], []);
  });

  it("withdraws what a client was allowed", async () => {
    await using visitor = await openAccount(await addSomebody());
    const { page } = visitor;
    await allowClient(page, "The reader");
    await page.goto(`${service.url}/account`);
    const clients = rowsOf(page, "What you have allowed");
    assert.match(await clients.innerText(), /^The reader\nSince .* UTC\n/);
    await clients.getByRole("button", { name: "Withdraw from The reader" }).click();
    await page.getByText("You have not allowed any program anything.").waitFor();
    assert.deepEqual(visitor.complaints, []);
  });

  it("changes the password, by keyboard alone, and signs other browsers out", async () => {
    const person = await addSomebody();
    await using here = await openAccount(person);
    await using there = await openAccount(person);
    const { page } = here;
    const newPassword = randomUUID();
    const change = async (password: string) => {
      for (const text of [password, newPassword, newPassword]) {
        await page.keyboard.type(text);
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Enter");
    };
    await page.getByLabel("Password now").focus();
    await change("not the password");
    await page.getByRole("alert").filter({ hasText: "Your password is unchanged" }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    // The field that was wrong has the focus.
    await change(person.password);
    await page.getByRole("status").filter({ hasText: "Your password is changed" }).waitFor();
    const changedAtMs = Date.now();
    assert.equal(await sessionsOn(page).count(), 1);
    await there.page.reload();
    await fillSignInForm(there.page, { person });
    await there.page.getByRole("alert").filter({ hasText: "is wrong" }).waitFor();
    // The change also ends sign-ins that are made in the same second.
    await until("the second has passed", async () => Date.now() > changedAtMs + 1000);
    await fillSignInForm(there.page, { person: { ...person, password: newPassword } });
    await there.page.getByText(`You are signed in as ${person.loginName}.`).waitFor();
  });

  it("keeps nobody out, in both themes and on a narrow screen", async () => {
    await using visitor = await openAccount(await addSomebody());
    const { page } = visitor;
    await allowClient(page, "A reader with a name that is longer than a narrow screen is wide");
    await page.goto(`${service.url}/account`);
    await page.setViewportSize({ width: 320, height: 640 });
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page), [], colorScheme);
    }
    assert.deepEqual(visitor.complaints, []);
  });
});
