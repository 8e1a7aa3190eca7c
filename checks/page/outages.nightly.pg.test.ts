/** Services and the database that go away and come back while the page is open. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import type { Locator, Page, Request } from "playwright-core";
import { seriousFindings } from "./testing/audit.ts";
import { listed, searchField, spaceChart, treeItem, uploadPanel } from "./testing/page-parts.ts";
import { openSignedIn } from "./testing/visitor.ts";
import { startWorld, type World } from "./testing/world.ts";

describe("while something behind the page is away", { skip: chromiumMissing }, () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world?.[Symbol.asyncDispose]());

  /** Each makes something unreachable, and reachable again. */
  const outages: Record<string, { readonly begin: () => Promise<void>; end: () => Promise<void> }> =
    {
      "the uploads service": {
        begin: () => world.uploads.stop(),
        end: () => world.uploads.start(),
      },
      "the database": {
        begin: () => world.database.cut(),
        end: () => world.database.mend(),
      },
      "the page's own server": {
        begin: () => world.web.stop(),
        end: () => world.web.start(),
      },
    };

  for (const [what, { begin, end }] of Object.entries(outages)) {
    it(`${what}, the page says so, keeps what it shows, and goes on afterwards`, async () => {
      await using visitor = await openSignedIn(world);
      const { page } = visitor;
      await listed(page, "photos").waitFor();
      try {
        await begin();
        await treeItem(page, "documents").click();
        await page.getByText("The service does not answer.").first().waitFor();
        // The folders are still there, and nobody is asked to sign in.
        assert.ok(await treeItem(page, "photos").isVisible());
        assert.equal(await page.getByText("Your session has ended.").count(), 0);
      } finally {
        await end();
      }
      await tryAgainUntil(page, listed(page, "annual report.pdf"));
      assert.equal(page.url(), `${world.url}/?folder=%2Fdocuments`);
      assert.equal(await page.getByText("The service does not answer.").count(), 0);
    });
  }

  it("the network, the page says so, keeps what it shows, and goes on afterwards", async () => {
    await using visitor = await openSignedIn(world);
    const { page, context } = visitor;
    await listed(page, "photos").waitFor();
    const offline = page.getByText("There is no connection.").first();
    await context.setOffline(true);
    await offline.waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    // The list stays until the connection is back, and is grey meanwhile.
    await treeItem(page, "documents").click();
    assert.ok(await treeItem(page, "photos").isVisible());
    await context.setOffline(false);
    await listed(page, "annual report.pdf").waitFor();
    await offline.waitFor({ state: "detached" });
  });

  it("the page's own server, parts that are opened for the first time come later", async () => {
    await using visitor = await openSignedIn(world);
    const { page } = visitor;
    for (const { open, isShown } of lazyParts(page)) {
      await page.goto(world.url);
      await listed(page, "photos").waitFor();
      try {
        await world.web.stop();
        await open();
        await page.getByRole("main").or(uploadPanel(page)).getByText(notShown).waitFor();
      } finally {
        await world.web.start();
      }
      await tryAgainUntil(page, isShown);
    }
  });

  it("the network, parts that are opened for the first time come later", async () => {
    await using visitor = await openSignedIn(world);
    const { page, context } = visitor;
    for (const { open, isShown } of lazyParts(page)) {
      await page.goto(world.url);
      await listed(page, "photos").waitFor();
      await context.setOffline(true);
      await open();
      await page.getByText("There is no connection.").nth(1).waitFor();
      await context.setOffline(false);
      await isShown.waitFor();
    }
  });

  for (const width of [1280, 390]) {
    it(`the page's own server, the panel keeps the focus: ${width} px wide`, async () => {
      await using visitor = await openSignedIn(world);
      const { page } = visitor;
      await page.setViewportSize({ width, height: 800 });
      await listed(page, "read me first.txt").waitFor();
      const close = uploadPanel(page).getByRole("link", { name: "Close" });
      const retry = uploadPanel(page).getByRole("button", { name: "Try again" });
      try {
        await world.web.stop();
        await listed(page, "read me first.txt").click();
        for (const control of [close, retry]) {
          await control.focus();
          await page.waitForEvent("requestfailed", isOfPart);
          assert.ok(await hasFocus(control));
        }
        await retry.press("Enter");
        await page.locator("#upload:focus").waitFor();
        await retry.waitFor();
        assert.ok(await hasFocus(page.locator("#upload")));
        await close.focus();
      } finally {
        await world.web.start();
      }
      await page.locator("#upload-heading:focus").waitFor();
    });

    it(`nothing, a late panel leaves the focus to a field: ${width} px wide`, async () => {
      await using visitor = await openSignedIn(world);
      const { page } = visitor;
      await page.setViewportSize({ width, height: 800 });
      const late = Promise.withResolvers<void>();
      await page.route(panelFile, async (route) => {
        await late.promise;
        await route.continue();
      });
      await listed(page, "read me first.txt").click();
      await searchField(page).focus();
      late.resolve();
      await uploadPanel(page).getByRole("heading", { name: "read me first.txt" }).waitFor();
      assert.ok(await hasFocus(searchField(page)));
    });
  }

  it("a download of the panel that breaks off, it is loaded again", async () => {
    await using visitor = await openSignedIn(world);
    const { page } = visitor;
    await page.route(panelFile, (route) => route.abort(), { times: 1 });
    await listed(page, "read me first.txt").click();
    await uploadPanel(page).getByRole("heading", { name: "read me first.txt" }).waitFor();
  });
});

const panelFile = /upload-panel.*\.js/;

/** Whether the page asks for a part that it has not loaded yet. */
function isOfPart(request: Request): boolean {
  return request.method() === "HEAD";
}

function hasFocus(element: Locator): Promise<boolean> {
  return element.evaluate((found) => found === found.ownerDocument.activeElement);
}

const notShown = "This cannot be shown at the moment.";

/** The parts that are loaded when they are opened for the first time. */
function lazyParts(page: Page) {
  return [
    {
      open: () => listed(page, "read me first.txt").click(),
      isShown: uploadPanel(page).getByRole("heading", { name: "read me first.txt" }),
    },
    {
      open: () => page.getByRole("link", { name: "Where the bytes are" }).click(),
      isShown: spaceChart(page),
    },
  ];
}

/** The page tries again by itself, too: the button may be gone already. */
async function tryAgainUntil(page: Page, shown: Locator): Promise<void> {
  const retry = page.getByRole("button", { name: "Try again" }).first();
  await retry.or(shown).first().waitFor();
  if (await retry.isVisible()) await retry.click().catch(() => undefined);
  await shown.waitFor();
}
