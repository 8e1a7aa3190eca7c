/** Finding things: folders, sorting, searching, and the address that keeps the whole view. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { chromiumMissing, patienceMs, until } from "@stowage/process/testing";
import type { Page, Request } from "playwright-core";
import {
  folderTree,
  listed,
  listedNames,
  searchField,
  treeItem,
  uploadGrid,
  uploadPanel,
} from "./testing/page-parts.ts";
import { openSignedIn, type Visitor } from "./testing/visitor.ts";
import { startWorld, type World } from "./testing/world.ts";

describe("browsing on the page", { skip: chromiumMissing }, () => {
  let world: World;
  let visitor: Visitor;
  let page: Page;
  before(async () => {
    world = await startWorld();
    visitor = await openSignedIn(world);
    page = visitor.page;
  });
  after(() => world?.[Symbol.asyncDispose]());

  const open = (query: string) => page.goto(`${world.url}/${query}`);
  const queryOf = () => new URL(page.url()).search;
  const untilNames = (names: readonly string[]) =>
    until(
      `the list is ${names}`,
      async () => `${await listedNames(page)}` === `${names}`,
      patienceMs,
    );

  it("goes down and up in the folders, by mouse", async () => {
    await open("");
    await listed(page, "photos").click();
    await listed(page, "harbour at dawn.png").waitFor();
    assert.deepEqual(await listedNames(page), ["2025", "2026", "harbour at dawn.png"]);
    assert.equal(queryOf(), "?folder=%2Fphotos");
    await listed(page, "2026").click();
    await listed(page, "ridge.png").waitFor();
    await page.goBack();
    await listed(page, "harbour at dawn.png").waitFor();
    await page.goForward();
    await listed(page, "ridge.png").waitFor();
    await treeItem(page, "documents").click();
    await listed(page, "annual report.pdf").waitFor();
    const path = page.getByRole("navigation", { name: "Folder path" });
    await path.getByRole("link", { name: "files.example" }).click();
    await listed(page, "read me first.txt").waitFor();
    assert.equal(queryOf(), "");
  });

  it("goes through the tree by the keys alone", async () => {
    await open("");
    await treeItem(page, "photos").waitFor();
    await folderTree(page).focus();
    // A letter, then the folders in it, and out again.
    for (const key of ["p", "ArrowRight", "ArrowRight"]) await pressWhenReady(page, key);
    await pressWhenReady(page, "Enter");
    await untilNames(["first snow.png"]);
    assert.equal(queryOf(), "?folder=%2Fphotos%2F2025");
    for (const key of ["ArrowLeft", "Home", "Enter"]) await pressWhenReady(page, key);
    await listed(page, "read me first.txt").waitFor();
  });

  it("goes through the list by the keys alone", async () => {
    await open("?folder=%2Fphotos");
    await listed(page, "2025").waitFor();
    await uploadGrid(page).focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await uploadPanel(page).getByRole("img", { name: "harbour at dawn.png" }).waitFor();
    await page.keyboard.press("Escape");
    await uploadPanel(page).waitFor({ state: "detached" });
    await uploadGrid(page).focus();
    await page.keyboard.press("Backspace");
    await listed(page, "read me first.txt").waitFor();
  });

  it("goes on by the keys from the row whose link was clicked", async () => {
    await open("?folder=%2Fphotos%2F2026");
    await listed(page, "ridge.png").click();
    await uploadPanel(page).getByRole("img", { name: "ridge.png" }).waitFor();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await uploadPanel(page).getByRole("img", { name: "Grüße aus Köln 🙂.png" }).waitFor();
  });

  it("finds folders by a part of their path, and marks it", async () => {
    await open("");
    await treeItem(page, "photos").waitFor();
    let calls = 0;
    const count = (request: Request) => {
      if (request.url().endsWith("/ListFolderTree")) calls += 1;
    };
    page.on("request", count);
    await page.getByRole("searchbox", { name: "Filter folders" }).fill("summ");
    await treeItem(page, "summer").waitFor();
    page.off("request", count);
    // Each call with a filter looks at every folder of the bucket.
    assert.equal(calls, 1);
    assert.deepEqual(await folderTree(page).locator("mark").allInnerTexts(), ["summ"]);
    assert.equal(await treeItem(page, "documents").count(), 0);
    assert.equal(queryOf(), "?folders=summ");
    await page.getByRole("searchbox", { name: "Filter folders" }).fill("nothing like it");
    await page.getByText("No folder has “nothing like it” in its path.").waitFor();
    await page.keyboard.press("Escape");
    await treeItem(page, "documents").waitFor();
  });

  it("sorts by each column in both directions", async () => {
    await open("?folder=%2Fphotos%2F2026&under=1");
    // Folders come first, in whatever order.
    const untilOrder = (names: readonly string[]) => untilNames(["summer", ...names]);
    const byName = ["Grüße aus Köln 🙂.png", "lake.png", "ridge.png"];
    await untilOrder(byName);
    const sizeOf = (name: string) =>
      [...world.files].find(([path]) => path.endsWith(`/${name}`))?.[1].byteLength ?? 0;
    const bySize = byName.toSorted((one, other) => sizeOf(one) - sizeOf(other));
    const oldestFirst = ["lake.png", "ridge.png", "Grüße aus Köln 🙂.png"];
    const orders = { Name: byName, Size: bySize, Created: oldestFirst, Changed: oldestFirst };
    for (const [column, ascending] of Object.entries(orders)) {
      const header = page.getByRole("columnheader", { name: column });
      for (const _ of ["one direction", "the other direction"]) {
        const before = await header.getAttribute("aria-sort");
        await header.getByRole("button").click();
        await until("it is sorted", async () => {
          const after = await header.getAttribute("aria-sort");
          return after !== null && after !== before;
        });
        const direction = await header.getAttribute("aria-sort");
        await untilOrder(direction === "ascending" ? ascending : ascending.toReversed());
      }
    }
    // The order that people give has no column until it is used.
    for (const name of ["Order, ascending", "Order, descending"]) {
      await page.getByRole("combobox", { name: "Sort" }).selectOption(name);
      await page.getByRole("columnheader", { name: "Order" }).waitFor();
    }
    assert.match(queryOf(), /sort=order&order=desc/);
  });

  it("finds uploads by a part of their name while it is typed", async () => {
    await open("");
    await listed(page, "photos").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("köln", { delay: 20 });
    // The first letters find the same, and mark less.
    await uploadGrid(page).locator("mark").getByText("Köln", { exact: true }).waitFor();
    await untilNames(["Grüße aus Köln 🙂.png"]);
    await searchField(page).fill("no such thing");
    await page.getByText("No upload matches.").waitFor();
    await page.keyboard.press("Escape");
    await listed(page, "photos").waitFor();
    assert.equal(queryOf(), "");
  });

  it("leaves keys to an input method that composes text", async () => {
    await open("?search=ridge&folders=photo");
    await listed(page, "ridge.png").waitFor();
    const fields = [searchField(page), page.getByRole("searchbox", { name: "Filter folders" })];
    for (const field of fields) {
      const text = await field.inputValue();
      await field.focus();
      for (const key of ["ArrowDown", "Enter", "Escape"]) {
        await field.dispatchEvent("keydown", { key, isComposing: true });
        await field.dispatchEvent("keydown", { key, keyCode: 229 });
      }
      assert.equal(await field.inputValue(), text);
      assert.ok(await field.evaluate((element) => element.matches(":focus")));
    }
    assert.equal(queryOf(), "?search=ridge&folders=photo");
  });

  it("keeps the focus in the list while there is nothing in it", async () => {
    await open("?search=no+such+thing");
    await page.getByText("No upload matches.").waitFor();
    await searchField(page).focus();
    await page.keyboard.press("Escape");
    await listed(page, "photos").waitFor();
    await uploadGrid(page).focus();
    await page.goBack();
    await page.getByText("No upload matches.").waitFor();
    await page.locator("#uploads:focus").waitFor();
    await page.goForward();
    await listed(page, "photos").waitFor();
    await page.locator("#uploads-grid:focus").waitFor();
  });

  it("cancels a search that is overtaken, and shows the answer to the last letter", async () => {
    await open("");
    await listed(page, "photos").waitFor();
    const isFirst = (request: Request) => request.postData()?.includes('"search":"r"') === true;
    const held = Promise.withResolvers<void>();
    await page.route("**/ListUploads", async (route) => {
      if (isFirst(route.request())) await held.promise;
      // The page has cancelled the first.
      await route.continue().catch(() => undefined);
    });
    const sent = page.waitForRequest(isFirst);
    const cancelled = page.waitForEvent("requestfailed", isFirst);
    await searchField(page).pressSequentially("r");
    await sent;
    await searchField(page).pressSequentially("idge");
    await cancelled;
    held.resolve();
    await untilNames(["ridge.png"]);
    await page.unroute("**/ListUploads");
  });

  it("adds up the sizes of what is selected", async () => {
    await open("?folder=%2Fdocuments");
    const names = ["annual report.pdf", "minutes of June.txt"];
    await listed(page, "annual report.pdf").waitFor();
    await uploadGrid(page).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Space");
    await page.getByText(/^Selected: 1 upload, /).waitFor();
    const link = page.getByRole("link", { name: "minutes of June.txt" });
    const row = page.getByRole("row").filter({ has: link });
    await row
      .getByRole("gridcell")
      .nth(1)
      .click({ modifiers: ["Control"] });
    const bytes = names.reduce(
      (sum, name) => sum + (world.files.get(`documents/${name}`)?.byteLength ?? 0),
      0,
    );
    await page.getByText(new RegExp(`^Selected: 2 uploads, ${bytes}\\sB$`)).waitFor();
  });

  it("shows the keys when it is asked for them", async () => {
    await open("");
    await listed(page, "photos").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "hidden" });
  });

  it("never interprets a name, and shows what hides in it", async () => {
    await open("?folder=%2Fnames");
    await listed(page, "<img src=x onerror=alert(1)>.txt").waitFor();
    const names = await listedNames(page);
    assert.ok(names.includes("100% & more?#[1].txt"), `${names}`);
    assert.ok(names.includes("تقرير سنوي.txt"), `${names}`);
    // Neither a control character nor an override of the direction reaches the screen.
    assert.doesNotMatch(names.join(""), /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    assert.equal(names.length, 6);
  });

  it("worked without a complaint of the browser", () => {
    assert.deepEqual(visitor.complaints, []);
  });
});

/** Presses a key when the tree has loaded what earlier keys asked for. */
async function pressWhenReady(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key);
  await folderTree(page).and(page.locator('[aria-busy="false"]')).waitFor();
}
