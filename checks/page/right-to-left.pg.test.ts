/** The page from right to left, as readers of Arabic or Hebrew expect it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { chromiumMissing, until } from "@stowage/process/testing";
import type { Locator, Page } from "playwright-core";
import { seriousFindings } from "./testing/audit.ts";
import { mainViews } from "./testing/main-views.ts";
import { folderTree, listed, treeItem, uploadGrid, uploadPanel } from "./testing/page-parts.ts";
import { openVisitor, signIn, type Visitor } from "./testing/visitor.ts";
import { startWorld, type World } from "./testing/world.ts";

const turnAround = `addEventListener("DOMContentLoaded", () => {
  document.documentElement.dir = "rtl";
});`;

describe("the page from right to left", { skip: chromiumMissing }, () => {
  let world: World;
  let visitor: Visitor;
  let page: Page;
  before(async () => {
    world = await startWorld();
    visitor = await openVisitor(world);
    page = visitor.page;
    await visitor.context.addInitScript({ content: turnAround });
    await signIn(visitor, world);
  });
  after(() => world?.[Symbol.asyncDispose]());

  it("has the folders on the right and the panel on the left", async () => {
    await page.goto(`${world.url}/?folder=%2Fphotos`);
    await listed(page, "harbour at dawn.png").click();
    await uploadPanel(page).getByRole("img", { name: "harbour at dawn.png" }).waitFor();
    const parts = [uploadPanel(page), uploadGrid(page), folderTree(page)];
    const lefts = [];
    for (const part of parts) lefts.push((await part.boundingBox())?.x ?? -1);
    assert.deepEqual(
      lefts,
      lefts.toSorted((one, other) => one - other),
    );
    const header = page.getByRole("columnheader", { name: "Name" });
    const size = page.getByRole("columnheader", { name: "Size" });
    assert.ok(await isLeftOf(size, header));
  });

  it("fits on wide and narrow screens, and keeps nobody out", async () => {
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 1440, height: 900 },
    ]) {
      await page.setViewportSize(viewport);
      for (const { name, show } of mainViews) {
        await show(page, world.url);
        const widths = "[document.documentElement.scrollWidth, innerWidth]";
        const [needed = 0, given = 0] = (await page.evaluate(widths)) as number[];
        assert.ok(needed <= given, `${name} is ${needed} wide on a screen of ${given}`);
        assert.deepEqual(await seriousFindings(page), [], name);
      }
    }
  });

  it("opens folders of the tree with the arrow to the left", async () => {
    await page.goto(world.url);
    await treeItem(page, "photos").waitFor();
    await folderTree(page).focus();
    await page.keyboard.press("p");
    await page.keyboard.press("ArrowLeft");
    await treeItem(page, "2026").waitFor();
    assert.equal(await treeItem(page, "photos").getAttribute("aria-expanded"), "true");
    await page.keyboard.press("ArrowRight");
    await treeItem(page, "2026").waitFor({ state: "detached" });
  });

  it("widens the folders with the arrow to the left, and by dragging there", async () => {
    await page.goto(world.url);
    const divider = page.getByRole("separator", { name: "Width of the folders" });
    const width = async () => Number(await divider.getAttribute("aria-valuenow"));
    const before = await width();
    await divider.press("ArrowLeft");
    assert.ok((await width()) > before);
    await divider.press("ArrowRight");
    assert.equal(await width(), before);
    const box = await divider.boundingBox();
    assert.ok(box);
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down();
    await page.mouse.move(middle.x - 60, middle.y);
    await page.mouse.up();
    assert.equal(await width(), before + 60);
  });

  it("moves through the map as the arrows point", async () => {
    await page.goto(`${world.url}/?view=space`);
    const documents = page.getByRole("link", { name: /^documents/ });
    await documents.waitFor();
    const sound = page.getByRole("link", { name: /^sound/ });
    assert.ok(await isLeftOf(sound, documents), "the largest is on the right");
    await documents.focus();
    await page.keyboard.press("ArrowLeft");
    await until("the focus has moved", async () => !(await hasFocus(documents)));
    await page.keyboard.press("ArrowRight");
    await until("the focus is back", () => hasFocus(documents));
  });

  it("worked without a complaint of the browser", () => {
    assert.deepEqual(visitor.complaints, []);
  });
});

async function isLeftOf(one: Locator, other: Locator): Promise<boolean> {
  const [box, otherBox] = [await one.boundingBox(), await other.boundingBox()];
  assert.ok(box && otherBox);
  return box.x < otherBox.x;
}

function hasFocus(element: Locator): Promise<boolean> {
  return element.evaluate((node) => node.matches(":focus"));
}
