/** Filters by tags and by days, typed, clicked and from an address. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { chromiumMissing, until } from "@stowage/process/testing";
import type { Page } from "playwright-core";
import { listed, listedNames } from "./testing/page-parts.ts";
import { openSignedIn, type Visitor } from "./testing/visitor.ts";
import { organisationId, startWorld, type World } from "./testing/world.ts";

const hostname = "filters.example";

const uploads = [
  { filename: "a.txt", tags: ["draft"], createdAt: "2026-03-01T00:00:00Z" },
  { filename: "b.txt", tags: ["draft", "for Ada"], createdAt: "2026-03-02T23:59:59.999999Z" },
  { filename: "c.txt", tags: ["for Ada"], createdAt: "2026-03-03T00:00:00Z" },
  { filename: "d.txt", tags: [], createdAt: "2026-03-04T12:00:00Z" },
].map((upload) => ({ upload: { path: "/", sizeBytes: 1, ...upload } }));

const lines = [
  { bucket: { bucketId: randomUUID(), hostname, organisationId } },
  { folder: { path: "/a folder" } },
  ...uploads,
];

describe("filters of the list", { skip: chromiumMissing }, () => {
  let world: World;
  let visitor: Visitor;
  let page: Page;
  before(async () => {
    world = await startWorld();
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    await world.run(["import", "ndjson", "-"], text);
    visitor = await openSignedIn(world);
    page = visitor.page;
  });
  after(() => world?.[Symbol.asyncDispose]());

  const open = async (query = "") => {
    await page.goto(`${world.url}/?bucket=${hostname}${query}`);
    await page.getByRole("group", { name: "Filters" }).waitFor();
  };
  const filters = () => new URL(page.url()).search.replace(`?bucket=${hostname}`, "");
  const untilNames = (names: string) =>
    until(`the list is ${names}`, async () => {
      return (await listedNames(page)).map((name) => name.replace(".txt", "")).join(" ") === names;
    });

  it("by tags are typed, clicked in a row, and removed one by one", async () => {
    await open();
    await untilNames("a folder a b c d");
    await page.getByRole("textbox", { name: "With tag" }).fill("draft");
    await page.keyboard.press("Enter");
    // Folders have no tags.
    await untilNames("a b");
    await page.getByRole("button", { name: "for Ada", exact: true }).click();
    await untilNames("b");
    assert.equal(filters(), "&tag=draft&tag=for+Ada");
    await page.getByRole("button", { name: "Remove the tag draft" }).click();
    await untilNames("b c");
    await page.goBack();
    await untilNames("b");
  });

  it("by tags differ in upper and lower case", async () => {
    await open("&tag=Draft");
    await page.getByText("No upload matches.").waitFor();
    await page.getByRole("button", { name: "Clear all filters" }).last().click();
    await untilNames("a folder a b c d");
    assert.equal(filters(), "");
  });

  it("give the focus to the list when they are removed by a key", async () => {
    await open("&tag=draft&tag=nowhere");
    await page.getByText("No upload matches.").waitFor();
    await page.getByRole("button", { name: "Remove the tag nowhere" }).press("Enter");
    await untilNames("a b");
    await page.locator("#uploads-grid:focus").waitFor({ timeout: 5000 });
    await page.getByRole("button", { name: "Clear all filters" }).press("Enter");
    await untilNames("a folder a b c d");
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Clear selection" }).press("Enter");
    await page.locator("#uploads-grid:focus").waitFor({ timeout: 5000 });
  });

  it("by days include the first and the last", async () => {
    await open();
    await listed(page, "a.txt").waitFor();
    await page.getByLabel("Created", { exact: true }).fill("2026-03-02");
    await untilNames("b c d");
    await page.getByLabel("to", { exact: true }).fill("2026-03-02");
    await untilNames("b");
    assert.equal(filters(), "&from=2026-03-02&to=2026-03-02");
    await page.getByLabel("Created", { exact: true }).fill("");
    await untilNames("a b");
  });

  it("are those of the address, together", async () => {
    await open("&tag=for+Ada&from=2026-03-03&sort=created_at");
    await untilNames("c");
    const from = page.getByLabel("Created", { exact: true });
    assert.equal(await from.inputValue(), "2026-03-03");
    await page.getByRole("button", { name: "Clear all filters" }).first().click();
    await untilNames("a folder a b c d");
  });

  it("worked without a complaint of the browser", () => {
    assert.deepEqual(visitor.complaints, []);
  });
});
