/** Finding things: folders, sorting, searching, and the address that keeps the whole view. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
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
import { signedInWorld } from "./testing/signed-in-world.ts";
import { organisationId } from "./testing/world.ts";

describe("browsing on the page", { skip: chromiumMissing }, () => {
  const world = signedInWorld();

  const open = (query: string) => world.page.goto(`${world.url}/${query}`);
  const queryOf = () => new URL(world.page.url()).search;
  const untilNames = (names: readonly string[]) =>
    until(
      `the list is ${names}`,
      async () => `${await listedNames(world.page)}` === `${names}`,
      patienceMs,
    );

  it("goes down and up in the folders, by mouse", async () => {
    await open("");
    await listed(world.page, "photos").click();
    await listed(world.page, "harbour at dawn.png").waitFor();
    assert.deepEqual(await listedNames(world.page), ["2025", "2026", "harbour at dawn.png"]);
    assert.equal(queryOf(), "?folder=%2Fphotos");
    await listed(world.page, "2026").click();
    await listed(world.page, "ridge.png").waitFor();
    await world.page.goBack();
    await listed(world.page, "harbour at dawn.png").waitFor();
    await world.page.goForward();
    await listed(world.page, "ridge.png").waitFor();
    await treeItem(world.page, "documents").click();
    await listed(world.page, "annual report.pdf").waitFor();
    const path = world.page.getByRole("navigation", { name: "Folder path" });
    await path.getByRole("link", { name: "files.example" }).click();
    await listed(world.page, "read me first.txt").waitFor();
    assert.equal(queryOf(), "");
  });

  it("goes through the tree by the keys alone", async () => {
    await open("");
    await treeItem(world.page, "photos").waitFor();
    await folderTree(world.page).focus();
    // A letter, then the folders in it, and out again.
    for (const key of ["p", "ArrowRight", "ArrowRight"]) await pressWhenReady(world.page, key);
    await pressWhenReady(world.page, "Enter");
    await untilNames(["first snow.png"]);
    assert.equal(queryOf(), "?folder=%2Fphotos%2F2025");
    for (const key of ["ArrowLeft", "Home", "Enter"]) await pressWhenReady(world.page, key);
    await listed(world.page, "read me first.txt").waitFor();
  });

  it("goes through the list by the keys alone", async () => {
    await open("?folder=%2Fphotos");
    await listed(world.page, "2025").waitFor();
    await uploadGrid(world.page).focus();
    await world.page.keyboard.press("End");
    await world.page.keyboard.press("Enter");
    await uploadPanel(world.page).getByRole("img", { name: "harbour at dawn.png" }).waitFor();
    await world.page.keyboard.press("Escape");
    await uploadPanel(world.page).waitFor({ state: "detached" });
    await uploadGrid(world.page).focus();
    await world.page.keyboard.press("Backspace");
    await listed(world.page, "read me first.txt").waitFor();
    // It goes on from the folder that was left.
    await world.page.keyboard.press("Enter");
    await listed(world.page, "harbour at dawn.png").waitFor();
  });

  it("goes on by the keys from the row whose link was clicked", async () => {
    await open("?folder=%2Fphotos%2F2026");
    await listed(world.page, "ridge.png").click();
    await uploadPanel(world.page).getByRole("img", { name: "ridge.png" }).waitFor();
    await world.page.keyboard.press("ArrowUp");
    await world.page.keyboard.press("Enter");
    await uploadPanel(world.page).getByRole("img", { name: "Grüße aus Köln 🙂.png" }).waitFor();
  });

  it("finds folders by a part of their path, and marks it", async () => {
    await open("");
    await treeItem(world.page, "photos").waitFor();
    let calls = 0;
    const count = (request: Request) => {
      if (request.url().endsWith("/ListFolderTree")) calls += 1;
    };
    world.page.on("request", count);
    await world.page.getByRole("searchbox", { name: "Filter folders" }).fill("summ");
    await treeItem(world.page, "summer").waitFor();
    world.page.off("request", count);
    // Each call with a filter looks at every folder of the bucket.
    assert.equal(calls, 1);
    assert.deepEqual(await folderTree(world.page).locator("mark").allInnerTexts(), ["summ"]);
    assert.equal(await treeItem(world.page, "documents").count(), 0);
    assert.equal(queryOf(), "?folders=summ");
    await world.page.getByRole("searchbox", { name: "Filter folders" }).fill("nothing like it");
    await world.page.getByText("No folder has “nothing like it” in its path.").waitFor();
    await world.page.keyboard.press("Escape");
    await treeItem(world.page, "documents").waitFor();
  });

  it("has one field to filter folders when the bucket is changed", async () => {
    const { page } = world;
    for (const hostname of ["second.example", "third.example"]) {
      await world.run(["buckets", "add", hostname, "--organisation", organisationId]);
    }
    await open("");
    for (const hostname of ["second.example", "third.example", "files.example"]) {
      await page.getByRole("button", { name: /^Bucket/ }).click();
      await page.getByRole("link", { name: hostname }).click();
      await treeItem(page, hostname).waitFor();
      assert.equal(await page.getByRole("searchbox", { name: "Filter folders" }).count(), 1);
    }
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
      const header = world.page.getByRole("columnheader", { name: column });
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
      await world.page.getByRole("combobox", { name: "Sort" }).selectOption(name);
      await world.page.getByRole("columnheader", { name: "Order" }).waitFor();
    }
    assert.match(queryOf(), /sort=order&order=desc/);
  });

  it("finds uploads by a part of their name while it is typed", async () => {
    await open("");
    await listed(world.page, "photos").waitFor();
    await world.page.keyboard.press("/");
    await world.page.keyboard.type("köln", { delay: 20 });
    // The first letters find the same, and mark less.
    await uploadGrid(world.page).locator("mark").getByText("Köln", { exact: true }).waitFor();
    await untilNames(["Grüße aus Köln 🙂.png"]);
    await searchField(world.page).fill("no such thing");
    await world.page.getByText("No file matches.").waitFor();
    await world.page.keyboard.press("Escape");
    await listed(world.page, "photos").waitFor();
    assert.equal(queryOf(), "");
  });

  it("leaves keys to an input method that composes text", async () => {
    await open("?query=ridge&folders=photo");
    await listed(world.page, "ridge.png").waitFor();
    const fields = [
      searchField(world.page),
      world.page.getByRole("searchbox", { name: "Filter folders" }),
    ];
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
    assert.equal(queryOf(), "?query=ridge&folders=photo");
  });

  it("keeps the focus in the list while there is nothing in it", async () => {
    await open("?query=no+such+thing");
    await world.page.getByText("No file matches.").waitFor();
    await searchField(world.page).focus();
    await world.page.keyboard.press("Escape");
    await listed(world.page, "photos").waitFor();
    await uploadGrid(world.page).focus();
    await world.page.goBack();
    await world.page.getByText("No file matches.").waitFor();
    await world.page.locator("#uploads:focus").waitFor();
    await world.page.goForward();
    await listed(world.page, "photos").waitFor();
    await world.page.locator("#uploads-grid:focus").waitFor();
  });

  it("keeps the focus in the list when it could be read at another try", async () => {
    await world.page.route("**/ListUploads", (route) => route.fulfill({ body: "no answer" }));
    await open("");
    const retry = world.page.getByRole("button", { name: "Try again" });
    await retry.waitFor();
    await world.page.unroute("**/ListUploads");
    await retry.press("Enter");
    await listed(world.page, "photos").waitFor();
    await world.page.locator("#uploads-grid:focus").waitFor();
  });

  it("cancels a search that is overtaken, and shows the answer to the last letter", async () => {
    await open("");
    await listed(world.page, "photos").waitFor();
    const isFirst = (request: Request) => request.postData()?.includes('"query":"r"') === true;
    const held = Promise.withResolvers<void>();
    await world.page.route("**/ListUploads", async (route) => {
      if (isFirst(route.request())) await held.promise;
      // The page has cancelled the first.
      await route.continue().catch(() => undefined);
    });
    const sent = world.page.waitForRequest(isFirst);
    const cancelled = world.page.waitForEvent("requestfailed", isFirst);
    await searchField(world.page).pressSequentially("r");
    await sent;
    await searchField(world.page).pressSequentially("idge");
    await cancelled;
    held.resolve();
    await untilNames(["ridge.png"]);
    await world.page.unroute("**/ListUploads");
  });

  it("adds up the sizes of what is selected", async () => {
    await open("?folder=%2Fdocuments");
    const names = ["annual report.pdf", "minutes of June.txt"];
    await listed(world.page, "annual report.pdf").waitFor();
    await uploadGrid(world.page).focus();
    await world.page.keyboard.press("Home");
    await world.page.keyboard.press("Space");
    await world.page.getByText(/^Selected: 1 file, /).waitFor();
    const link = world.page.getByRole("link", { name: "minutes of June.txt" });
    const row = world.page.getByRole("row").filter({ has: link });
    await row
      .getByRole("gridcell")
      .nth(1)
      .click({ modifiers: ["Control"] });
    const bytes = names.reduce(
      (sum, name) => sum + (world.files.get(`documents/${name}`)?.byteLength ?? 0),
      0,
    );
    await world.page.getByText(new RegExp(`^Selected: 2 files, ${bytes}\\sB$`)).waitFor();
  });

  it("never interprets a name, and shows what hides in it", async () => {
    await open("?folder=%2Fnames");
    await listed(world.page, "<img src=x onerror=alert(1)>.txt").waitFor();
    const names = await listedNames(world.page);
    assert.ok(names.includes("100% & more?#[1].txt"), `${names}`);
    assert.ok(names.includes("تقرير سنوي.txt"), `${names}`);
    // Neither a control character nor an override of the direction reaches the screen.
    assert.doesNotMatch(names.join(""), /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    assert.equal(names.length, 6);
  });

  it("worked without a complaint of the browser", () => {
    assert.deepEqual(world.complaints, []);
  });
});

/** Presses a key when the tree has loaded what earlier keys asked for. */
async function pressWhenReady(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key);
  await folderTree(page).and(page.locator('[aria-busy="false"]')).waitFor();
}
