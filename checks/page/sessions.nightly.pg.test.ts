/** Sessions that end or are renewed while the page is open. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { chromiumMissing, findPort, until } from "@stowage/process/testing";
import pg from "pg";
import { folderTree, listed, treeItem, uploadPanel } from "./testing/page-parts.ts";
import { addPerson } from "./testing/page-programs.ts";
import { openUpload } from "./testing/previews.ts";
import { fillSignInForm, openSignedIn } from "./testing/visitor.ts";
import { organisationId, startWorld, type World } from "./testing/world.ts";

describe("a session of the page", { skip: chromiumMissing }, () => {
  let world: World;
  let database: pg.Client;
  let metricsPort: number;
  before(async () => {
    metricsPort = await findPort();
    world = await startWorld({ web: { METRICS_PORT: `${metricsPort}` } });
    database = new pg.Client(world.databaseUrl);
    await database.connect();
  });
  after(async () => {
    await database?.end();
    await world?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await database.query("delete from web.sessions");
  });

  const endings = {
    "that was idle for too long":
      "update web.sessions set last_used_at = now() - interval '1 year'",
    "that has lasted too long": "update web.sessions set created_at = now() - interval '1 year'",
    "that was ended elsewhere": "delete from web.sessions",
  };
  for (const [which, statement] of Object.entries(endings)) {
    it(`${which} keeps what is shown, says so, and goes on at the same view`, async () => {
      await using visitor = await openSignedIn(world, "/?sort=size_bytes&order=desc");
      const { page } = visitor;
      await listed(page, "photos").waitFor();
      await database.query(statement);

      await treeItem(page, "documents").click();
      await page.getByText("Your session has ended.").waitFor();
      assert.ok(await folderTree(page).isVisible());
      await page.getByRole("link", { name: "Sign in again" }).click();

      // The issuer still knows the person: no password is asked for.
      await listed(page, "annual report.pdf").waitFor();
      const query = "?folder=%2Fdocuments&sort=size_bytes&order=desc";
      assert.equal(page.url(), `${world.url}/${query}`);
      assert.equal(await page.getByText("Your session has ended.").count(), 0);
    });
  }

  it("that was ended elsewhere lets no download fail without a word", async () => {
    await using visitor = await openSignedIn(world);
    const { page } = visitor;
    await openUpload(page, world.url, { folder: "documents", name: "minutes of June.txt" });
    const actions = uploadPanel(page).getByRole("region", { name: "Actions" });
    await actions.getByRole("link", { name: "Download" }).waitFor();
    await database.query("delete from web.sessions");

    await actions.getByRole("link", { name: "Download" }).click();
    await actions.getByText("You are no longer signed in.").waitFor();
    await page.getByText("Your session has ended.").waitFor();
  });

  it("is renewed once when two tabs need new tokens at the same time", async () => {
    await using visitor = await openSignedIn(world);
    const { page: first } = visitor;
    await listed(first, "photos").waitFor();
    const second = await visitor.openTab();
    await second.goto(world.url);
    await listed(second, "photos").waitFor();
    const before = await refreshes();

    await database.query("update web.sessions set access_expires_at = now()");
    await Promise.all([
      treeItem(first, "photos").click(),
      treeItem(second, "documents").click(),
      listed(first, "harbour at dawn.png").waitFor(),
      listed(second, "annual report.pdf").waitFor(),
    ]);
    await until("the renewal is counted", async () => (await refreshes()) > before);
    assert.equal(await refreshes(), before + 1);
    assert.deepEqual(visitor.complaints, []);
  });

  it("that was begun again in one tab serves the other tab too", async () => {
    await using visitor = await openSignedIn(world);
    const { page: first } = visitor;
    const second = await visitor.openTab();
    await second.goto(world.url);
    await listed(second, "photos").waitFor();

    await database.query("delete from web.sessions");
    await first.reload();
    await listed(first, "photos").waitFor();
    await treeItem(second, "photos").click();
    await listed(second, "harbour at dawn.png").waitFor();
  });

  it("of somebody else, begun in one tab, loads the other tab again", async () => {
    const person = await addPerson(world.run, organisationId, "grace@example.com");
    await using visitor = await openSignedIn(world);
    const { page: first, context } = visitor;
    await listed(first, "photos").waitFor();

    await context.clearCookies();
    const second = await visitor.openTab();
    await second.goto(world.url);
    await fillSignInForm(second, { person });
    await listed(second, "photos").waitFor();
    const loaded = first.waitForEvent("load");
    // As when the reader comes back to the tab.
    await first.evaluate("document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))");
    await loaded;
    await first.getByRole("button", { name: `Account: ${person.loginName}` }).waitFor();
  });

  it("that was begun again in one tab brings back what the other tab could not read", async () => {
    await using visitor = await openSignedIn(world);
    const { page: first } = visitor;
    const second = await visitor.openTab();
    await second.goto(world.url);
    await listed(second, "photos").waitFor();

    await database.query("delete from web.sessions");
    await treeItem(second, "photos").click();
    await second.getByText("Your session has ended.").waitFor();
    await first.reload();
    await listed(first, "photos").waitFor();
    // As when the reader comes back to the tab.
    await second.evaluate("document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))");
    await listed(second, "harbour at dawn.png").waitFor();
  });

  async function refreshes(): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    const pattern = /^stowage_web_token_refreshes_total\{[^}]*refreshed[^}]*\} (\d+)$/m;
    return Number(pattern.exec(await response.text())?.[1] ?? 0);
  }
});
