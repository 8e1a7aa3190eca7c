/** Searching: suggestions, wrong filters, folders before files, and what is marked. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { chromiumMissing, patienceMs, until } from "@stowage/process/testing";
import { listed, listedNames, searchField, uploadGrid } from "./testing/page-parts.ts";
import { sharedWorld } from "./testing/signed-in-world.ts";
import { organisationId } from "./testing/world.ts";

describe("searching on the page", { skip: chromiumMissing }, () => {
  const world = sharedWorld();

  const open = async (query: string, folder = "/") => {
    const search = new URLSearchParams({ folder, ...(query !== "" && { query }) });
    await world.page.goto(`${world.url}/?${search}`);
    await searchField(world.page).waitFor();
  };
  const query = () => new URL(world.page.url()).searchParams.get("query");
  const options = () => world.page.getByRole("listbox").getByRole("option");
  const untilNames = (names: readonly string[]) =>
    until(
      `the list is ${names}`,
      async () => `${await listedNames(world.page)}` === `${names}`,
      patienceMs,
    );
  const status = (text: RegExp) => world.page.getByRole("status").filter({ hasText: text });

  it("suggests filters and their values, which the keys alone choose", async () => {
    const { page } = world;
    await open("");
    await listed(page, "photos").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("ridge t");
    await options().nth(1).waitFor();
    assert.deepEqual(
      (await options().allInnerTexts()).map((text) => text.split(/\s/)[0]),
      ["type:", "tag:"],
    );
    assert.equal(await searchField(page).getAttribute("aria-activedescendant"), null);
    await page.keyboard.press("ArrowDown");
    const active = await searchField(page).getAttribute("aria-activedescendant");
    assert.equal(await options().first().getAttribute("id"), active);
    await page.keyboard.press("Enter");
    assert.equal(await searchField(page).inputValue(), "ridge type:");
    await page.keyboard.type("im");
    await options().filter({ hasText: "Picture" }).waitFor();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await options().first().waitFor({ state: "detached" });
    await until("it is in the address", () => query() === "ridge type:image ");
    await untilNames(["ridge.png"]);
    // Enter without a suggestion goes to the list.
    await page.keyboard.press("Enter");
    await page.locator("#uploads-grid:focus").waitFor();
  });

  it("shows all filters at a click, and hides them at Escape", async () => {
    await open("");
    await searchField(world.page).click();
    await until("all are there", async () => (await options().count()) === 7);
    await world.page.keyboard.press("Escape");
    await options().first().waitFor({ state: "detached" });
    await world.page.keyboard.press("Alt+ArrowDown");
    await options().filter({ hasText: "size:" }).click();
    assert.equal(await searchField(world.page).inputValue(), "size:");
    assert.ok(await searchField(world.page).evaluate((field) => field.matches(":focus")));
  });

  it("says what a wrong filter needs, and searches for the rest", async () => {
    await open("ridge size:huge");
    await status(/^size: needs a size, such as/).waitFor();
    await untilNames(["ridge.png"]);
    assert.equal(await searchField(world.page).getAttribute("aria-invalid"), "true");
    await searchField(world.page).fill("ridge size:>1");
    await status(/^size: needs/).waitFor({ state: "detached" });
    await untilNames(["ridge.png"]);
  });

  it("shows folders first, and opens them", async () => {
    await open("2026");
    await untilNames(["2026", "Grüße aus Köln 🙂.png", "lake.png", "ridge.png"]);
    await status(/^1 folder, 3 files, /).waitFor();
    await listed(world.page, "2026").click();
    await untilNames(["summer", "Grüße aus Köln 🙂.png", "ridge.png"]);
    assert.equal(query(), null);
    await open("ridge type:image");
    await untilNames(["ridge.png"]);
    await uploadGrid(world.page).getByRole("link", { name: "/photos/2026" }).click();
    await untilNames(["Grüße aus Köln 🙂.png", "lake.png", "ridge.png"]);
    assert.equal(query(), "type:image");
  });

  it("shows the folder of the name first, and all folders if one asks for them", async () => {
    const { page } = world;
    const hostname = "folders.example";
    const names = ["a", "b", "c", "d", "e", "f"].map((letter) => `${letter} summer`);
    const lines = [
      { bucket: { bucketId: randomUUID(), hostname, organisationId } },
      ...[...names, "z", "z/Summer"].map((name) => ({ folder: { path: `/${name}` } })),
    ];
    await world.run(
      ["import", "ndjson", "-"],
      lines.map((line) => JSON.stringify(line)).join("\n"),
    );
    await page.goto(`${world.url}/?bucket=${hostname}&query=summer`);
    await untilNames(["Summer", ...names.slice(0, 4)]);
    await status(/^7 folders, 0 files/).waitFor();
    await page.getByRole("button", { name: "Show 7 folders" }).focus();
    await page.keyboard.press("Enter");
    await untilNames(["Summer", ...names]);
    await page.getByRole("button", { name: "Show fewer folders" }).press("Enter");
    await untilNames(["Summer", ...names.slice(0, 4)]);
  });

  it("shows only what is in the open folder, and no folders with a filter for files", async () => {
    await open("2026", "/photos");
    await untilNames(["2026", "Grüße aus Köln 🙂.png", "lake.png", "ridge.png"]);
    await open("2026", "/photos/2026");
    await untilNames(["Grüße aus Köln 🙂.png", "lake.png", "ridge.png"]);
    await open("2026", "/documents");
    await world.page.getByText("No file matches.").waitFor();
    await open("2026 type:image");
    await untilNames(["Grüße aus Köln 🙂.png", "lake.png", "ridge.png"]);
    await status(/^3 files, /).waitFor();
  });

  it("offers filters if hardly anything is found with words that look like some", async () => {
    await open("lake pictures 2026-06");
    await world.page.getByText("No file matches.").waitFor();
    const name = "Search for lake type:image changed:2026-06";
    await world.page.getByRole("button", { name }).press("Enter");
    await untilNames(["lake.png"]);
    await world.page.locator("#uploads-grid:focus").waitFor();
    await open("ridge photos");
    await world.page.getByRole("button", { name: "Search for ridge type:image" }).waitFor();
    await open("ridge");
    await untilNames(["ridge.png"]);
    assert.equal(await world.page.getByRole("button", { name: /^Search for/ }).count(), 0);
  });

  it("marks words in names and in paths", async () => {
    await open("SUMMER lak");
    await untilNames(["lake.png"]);
    const marks = await uploadGrid(world.page).locator("mark").allInnerTexts();
    assert.deepEqual(marks, ["lak", "summer"]);
  });

  it("says that there are more files than were counted", async () => {
    const uploads = [{ uploadId: "a", filename: "a.png", path: "/" }];
    const first = { uploads, nextCursor: "next", matchCount: 10_000, matchCountIsExact: false };
    await world.page.route("**/ListUploads", (route) => {
      const json = route.request().postDataJSON().cursor === "next" ? {} : first;
      return route.fulfill({ json });
    });
    await open("png");
    await status(/^10,000\+ files$/).waitFor();
    await world.page.unroute("**/ListUploads");
  });

  it("has a button for each filter, which removes it", async () => {
    const { page } = world;
    await open("lake -type:video in:/photos");
    await page.getByRole("button", { name: "Remove the filter -type:video" }).click();
    await until("it is gone", () => query() === "lake in:/photos");
    await page.getByRole("button", { name: "Remove the filter in:/photos" }).click();
    await until("it is gone", () => query() === "lake");
    assert.equal(await searchField(page).inputValue(), "lake");
  });

  it("worked without a complaint of the browser", () => {
    assert.deepEqual(world.complaints, []);
  });
});
