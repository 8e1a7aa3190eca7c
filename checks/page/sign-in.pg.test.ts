/** The way in and out of the page, as people go it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import { seriousFindings } from "./testing/audit.ts";
import { listed, signOut } from "./testing/page-parts.ts";
import { openVisitor, signIn } from "./testing/visitor.ts";
import { startWorld, type World } from "./testing/world.ts";

const photo = "harbour at dawn.png";

describe("signing in to the page", { skip: chromiumMissing }, () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world?.[Symbol.asyncDispose]());

  it("begins wherever the page is opened, and ends at the address that was asked for", async () => {
    await using visitor = await openVisitor(world);
    await signIn(visitor, world, "/?folder=%2Fphotos&sort=size_bytes");
    assert.equal(visitor.page.url(), `${world.url}/?folder=%2Fphotos&sort=size_bytes`);
    await listed(visitor.page, photo).waitFor();
    assert.deepEqual(await seriousFindings(visitor.page), []);
    assert.deepEqual(visitor.complaints, []);
  });

  it("gives the browser no token, only a cookie that scripts cannot read", async () => {
    await using visitor = await openVisitor(world);
    await signIn(visitor, world);
    const cookies = await visitor.context.cookies(world.url);
    const [session] = cookies.filter(({ name }) => name === "__Host-stowage");
    assert.deepEqual(
      [session?.httpOnly, session?.secure, session?.sameSite, session?.path],
      [true, true, "Lax", "/"],
    );
    const stored = "JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])";
    const readable = String(await visitor.page.evaluate(stored));
    assert.doesNotMatch(readable, /eyJ|__Host/);
  });

  it("signing out shows nothing of the data any more, not even to the button Back", async () => {
    await using visitor = await openVisitor(world);
    const { page, context } = visitor;
    await signIn(visitor, world, "/?folder=%2Fphotos");
    await listed(page, photo).waitFor();
    const cookies = await context.cookies(world.url);

    await signOut(page);
    const nobody = page.getByText("You are signed out.");
    await nobody.waitFor();
    assert.deepEqual(await context.cookies(world.url).then(namesOf), []);
    // The question of the issuer is between this and the view.
    for (let step = 0; step < 2; step++) await page.goBack({ waitUntil: "commit" });
    assert.equal(page.url(), `${world.url}/?folder=%2Fphotos`);
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

  it("signing out asks the issuer even if the session of the page is over already", async () => {
    await using visitor = await openVisitor(world);
    const { page, context } = visitor;
    await signIn(visitor, world);
    await listed(page, "photos").waitFor();
    await context.clearCookies({ name: "__Host-stowage" });
    await signOut(page);
    await page.getByText("You are signed out.").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Login name").waitFor();
  });

  it("a sign-out that fails says so, and can be tried again", async () => {
    await using visitor = await openVisitor(world);
    const { page } = visitor;
    await signIn(visitor, world);
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
});

function namesOf(cookies: readonly { name: string }[]): string[] {
  return cookies.map(({ name }) => name).filter((name) => name === "__Host-stowage");
}
