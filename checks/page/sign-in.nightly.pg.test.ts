/** The way in and out of the page, as people go it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { chromiumMissing, withClient } from "@stowage/process/testing";
import { seriousFindings } from "./testing/audit.ts";
import { listed, searchField, signOut } from "./testing/page-parts.ts";
import { openSignedIn, openVisitor } from "./testing/visitor.ts";
import { startWorld, type World } from "./testing/world.ts";

const photo = "harbour at dawn.png";

describe("signing in to the page", { skip: chromiumMissing }, () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world?.[Symbol.asyncDispose]());

  it("begins wherever the page is opened, and ends at the address that was asked for", async () => {
    await using visitor = await openSignedIn(world, "/?folder=%2Fphotos&sort=size_bytes");
    assert.equal(visitor.page.url(), `${world.url}/?folder=%2Fphotos&sort=size_bytes`);
    await listed(visitor.page, photo).waitFor();
    assert.deepEqual(await seriousFindings(visitor.page), []);
    assert.deepEqual(visitor.complaints, []);
  });

  it("ends at the address that was asked for, even if its letters make it very long", async () => {
    // Each of these letters takes six characters of an address.
    const query = "ק".repeat(250);
    const search = `?${new URLSearchParams({ query, folders: query })}`;
    await using visitor = await openSignedIn(world, `/${search}`);
    const { page, context } = visitor;
    await page.getByText("No file matches.").waitFor();
    assert.equal(new URL(page.url()).search, search);

    await context.clearCookies({ name: "stowage" });
    const longer = `${query}ר`;
    await searchField(page).fill(longer);
    await page.getByRole("link", { name: "Sign in again" }).click();
    await page.getByText(`Searched for “${longer}”`).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("query"), longer);
  });

  it("by a link shows the files at once, and works once", async () => {
    const link = await makeLink();
    await using visitor = await openVisitor(world);
    await visitor.page.goto(link);
    await listed(visitor.page, "photos").waitFor();
    assert.equal(visitor.page.url(), `${world.url}/`);
    assert.deepEqual(visitor.complaints, []);

    await using other = await openVisitor(world);
    await other.page.goto(link);
    await other.page.getByRole("heading", { name: "This link has been used" }).waitFor();
    await other.page.goto(world.url);
    await other.page.getByLabel("Login name").waitFor();
  });

  it("by a link that has expired says so", async () => {
    const link = await makeLink();
    await expireLinks();
    await using visitor = await openVisitor(world);
    await visitor.page.goto(link);
    await visitor.page.getByText(/^It has expired, /).waitFor();
    await visitor.page.goto(world.url);
    await visitor.page.getByLabel("Login name").waitFor();
  });

  it("gives the browser no token, only a cookie that scripts cannot read", async () => {
    await using visitor = await openSignedIn(world);
    const cookies = await visitor.context.cookies(world.url);
    const [session] = cookies.filter(({ name }) => name === "stowage");
    assert.deepEqual(
      [session?.httpOnly, session?.secure, session?.sameSite, session?.path],
      [true, false, "Lax", "/"],
    );
    const stored = "JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])";
    const readable = String(await visitor.page.evaluate(stored));
    assert.doesNotMatch(readable, new RegExp(`eyJ|${session?.value}`));
  });

  it("signing out shows nothing of the data any more, not even to the button Back", async () => {
    await using visitor = await openSignedIn(world, "/?folder=%2Fphotos");
    const { page, context } = visitor;
    await listed(page, photo).waitFor();
    const cookies = await context.cookies(world.url);

    await signOut(page);
    const nobody = page.getByText("You are signed out.");
    await nobody.waitFor();
    assert.deepEqual(await context.cookies(world.url).then(namesOf), []);
    // Two steps, since the question of the issuer is between this and the view. They are one
    // navigation: Chromium refuses a second one while the page of the first is attached.
    await page.evaluate("history.go(-2)");
    await page.waitForURL(`${world.url}/?folder=%2Fphotos`);
    await nobody.waitFor();
    assert.equal(await page.getByText(photo).count(), 0);

    // A copy of the cookie is worth nothing.
    await context.addCookies(cookies);
    await page.goto(`${world.url}/?folder=%2Fphotos`);
    await nobody.waitFor();
    assert.equal(await page.getByText(photo).count(), 0);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Login name").waitFor();
    assert.deepEqual(visitor.complaints, []);
  });

  it("signing out in one tab shows nothing of the data in the others", async () => {
    await using visitor = await openSignedIn(world, "/?folder=%2Fphotos");
    const other = await visitor.openTab();
    await other.goto(`${world.url}/?folder=%2Fphotos`);
    await listed(other, photo).waitFor();
    await signOut(visitor.page);
    await other.getByText("You are signed out.").waitFor();
    assert.equal(await other.getByText(photo).count(), 0);
  });

  it("signing out asks the issuer even if the session of the page is over already", async () => {
    await using visitor = await openSignedIn(world);
    const { page, context } = visitor;
    await listed(page, "photos").waitFor();
    await context.clearCookies({ name: "stowage" });
    await signOut(page);
    await page.getByText("You are signed out.").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Login name").waitFor();
  });

  it("a sign-out that fails says so, and can be tried again", async () => {
    await using visitor = await openSignedIn(world);
    const { page } = visitor;
    await listed(page, "photos").waitFor();
    await page.route("**/sign-out", (route) => route.fulfill({ status: 503 }));
    await page.getByRole("button", { name: /^Account/ }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Signing out failed.").waitFor();
    assert.ok(await listed(page, "photos").isVisible());
    await page.unroute("**/sign-out");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign out?" }).waitFor();
  });

  /** A link as `npm start` prints it. */
  async function makeLink(): Promise<string> {
    const command = ["accounts", "sign-in-link", "--login-name", world.person.loginName, "--json"];
    const place = ["--return", `${world.url}/sign-in`];
    const issuer = { AUTH_URL: world.authorisation.url };
    const { link } = JSON.parse(await world.run([...command, ...place], undefined, issuer));
    return link;
  }

  /** As if their ten minutes had passed. */
  async function expireLinks(): Promise<void> {
    const expire = "update auth.provider_records set expires_at = now() where model = 'SignInLink'";
    await withClient(world.databaseUrl, (client) => client.query(expire));
  }
});

function namesOf(cookies: readonly { name: string }[]): string[] {
  return cookies.map(({ name }) => name).filter((name) => name === "stowage");
}
