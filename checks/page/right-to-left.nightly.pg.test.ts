/** The page from right to left, as readers of Arabic or Hebrew expect it. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { chromiumMissing, until } from "@stowage/process/testing";
import type { Locator } from "playwright-core";
import { seriousFindings } from "./testing/audit.ts";
import { mainViews } from "./testing/main-views.ts";
import { folderTree, listed, treeItem, uploadGrid, uploadPanel } from "./testing/page-parts.ts";
import { sharedWorld } from "./testing/signed-in-world.ts";

const turnAround = `addEventListener("DOMContentLoaded", () => {
  document.documentElement.dir = "rtl";
});`;

describe("the page from right to left", { skip: chromiumMissing }, () => {
  const world = sharedWorld();
  before(() => world.context.addInitScript({ content: turnAround }));

  it("has the folders on the right and the panel on the left", async () => {
    await world.page.goto(`${world.url}/?folder=%2Fphotos`);
    await listed(world.page, "harbour at dawn.png").click();
    await uploadPanel(world.page).getByRole("img", { name: "harbour at dawn.png" }).waitFor();
    const parts = [uploadPanel(world.page), uploadGrid(world.page), folderTree(world.page)];
    const lefts = [];
    for (const part of parts) lefts.push((await part.boundingBox())?.x ?? -1);
    assert.deepEqual(
      lefts,
      lefts.toSorted((one, other) => one - other),
    );
    const header = world.page.getByRole("columnheader", { name: "Name" });
    const size = world.page.getByRole("columnheader", { name: "Size" });
    assert.ok(await isLeftOf(size, header));
  });

  it("fits on wide and narrow screens, and keeps nobody out", async () => {
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 1440, height: 900 },
    ]) {
      await world.page.setViewportSize(viewport);
      for (const { name, show } of mainViews) {
        await show(world.page, world.url);
        assert.deepEqual(await seriousFindings(world.page), [], name);
      }
    }
  });

  it("opens folders of the tree with the arrow to the left", async () => {
    await world.page.goto(world.url);
    await treeItem(world.page, "photos").waitFor();
    await folderTree(world.page).focus();
    await world.page.keyboard.press("p");
    await world.page.keyboard.press("ArrowLeft");
    await treeItem(world.page, "2026").waitFor();
    assert.equal(await treeItem(world.page, "photos").getAttribute("aria-expanded"), "true");
    await world.page.keyboard.press("ArrowRight");
    await treeItem(world.page, "2026").waitFor({ state: "detached" });
  });

  it("widens the folders with the arrow to the left, and by dragging there", async () => {
    await world.page.goto(world.url);
    const divider = world.page.getByRole("separator", { name: "Width of the folders" });
    const width = async () => Number(await divider.getAttribute("aria-valuenow"));
    const before = await width();
    await divider.press("ArrowLeft");
    assert.ok((await width()) > before);
    await divider.press("ArrowRight");
    assert.equal(await width(), before);
    const box = await divider.boundingBox();
    assert.ok(box);
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await world.page.mouse.move(middle.x, middle.y);
    await world.page.mouse.down();
    await world.page.mouse.move(middle.x - 60, middle.y);
    await world.page.mouse.up();
    assert.equal(await width(), before + 60);
  });

  it("moves through the map as the arrows point", async () => {
    await world.page.goto(`${world.url}/?view=space`);
    const documents = world.page.getByRole("link", { name: /^documents/ });
    await documents.waitFor();
    const sound = world.page.getByRole("link", { name: /^sound/ });
    assert.ok(await isLeftOf(sound, documents), "the largest is on the right");
    await documents.focus();
    await world.page.keyboard.press("ArrowLeft");
    await until("the focus has moved", async () => !(await hasFocus(documents)));
    await world.page.keyboard.press("ArrowRight");
    await until("the focus is back", () => hasFocus(documents));
  });

  it("worked without a complaint of the browser", () => {
    assert.deepEqual(world.complaints, []);
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
