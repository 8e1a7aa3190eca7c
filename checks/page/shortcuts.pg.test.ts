/** The keyboard shortcuts: the dialog that shows them, and those that can be switched off. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import { listed, searchField } from "./testing/page-parts.ts";
import { sharedWorld } from "./testing/signed-in-world.ts";

describe("the keyboard shortcuts of the page", { skip: chromiumMissing }, () => {
  const world = sharedWorld();

  it("are shown in a dialog", async () => {
    const { page } = world;
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await page.goto(world.url);
    await listed(page, "photos").waitFor();
    await page.keyboard.press("?");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  });

  it("that type a character can be switched off, for good", async () => {
    const { page } = world;
    await page.goto(world.url);
    await listed(page, "photos").waitFor();
    await page.keyboard.press("?");
    const choice = page.getByRole("checkbox", { name: "Use / n p ? as shortcuts" });
    await choice.uncheck();
    const off = page.getByRole("definition").filter({ hasText: "(off)" });
    assert.equal(await off.count(), 4);
    await page.keyboard.press("Escape");
    await choice.waitFor({ state: "hidden" });
    await page.reload();
    await listed(page, "photos").click();
    await listed(page, "harbour at dawn.png").waitFor();
    await page.keyboard.press("?");
    await page.keyboard.press("/");
    await page.keyboard.press("Backspace");
    await listed(page, "read me first.txt").waitFor();
    assert.equal(await choice.isVisible(), false);
    assert.equal(await page.locator("[aria-keyshortcuts]").count(), 0);
    await page.getByRole("button", { name: /^Account/ }).click();
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await choice.check();
    await page.keyboard.press("Escape");
    await choice.waitFor({ state: "hidden" });
    await page.keyboard.press("/");
    assert.ok(await searchField(page).evaluate((field) => field.matches(":focus")));
  });

  it("can be switched off in a browser that keeps nothing", async () => {
    const page = await world.context.newPage();
    await page.addInitScript("Object.defineProperty(window, 'localStorage', { value: null })");
    await page.goto(world.url);
    await listed(page, "photos").waitFor();
    await page.keyboard.press("?");
    const choice = page.getByRole("checkbox", { name: "Use / n p ? as shortcuts" });
    await choice.uncheck();
    await page.keyboard.press("Escape");
    await choice.waitFor({ state: "hidden" });
    assert.equal(await page.locator("[aria-keyshortcuts]").count(), 0);
  });
});
