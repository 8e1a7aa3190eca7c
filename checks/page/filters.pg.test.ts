/** Filters of the list: typed, chosen, clicked and from an address, always as the text says. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { chromiumMissing, until } from "@stowage/process/testing";
import { listed, listedNames, searchField, spaceChart } from "./testing/page-parts.ts";
import { sharedWorld } from "./testing/signed-in-world.ts";
import { organisationId } from "./testing/world.ts";

const hostname = "filters.example";

const [draft, forAda] = ["draft", "for Ada"];
const uploads = [
  { filename: "a.txt", tags: [draft], createdAt: "2026-03-01T00:00:00Z", updatedAt: at("01-31") },
  { filename: "b.txt", tags: [draft, forAda], createdAt: "2026-03-02T23:59:59.999999Z" },
  { filename: "c.txt", tags: [forAda], createdAt: "2026-03-03T00:00:00Z", updatedAt: at("02-28") },
  { filename: "d.txt", createdAt: "2026-03-04T12:00:00Z", sizeBytes: 5_000_000 },
].map((upload) => {
  const others = { path: "/", sizeBytes: 1, type: "UPLOAD_TYPE_TEXT", updatedAt: at("02-01") };
  return { upload: { ...others, ...upload } };
});

function at(day: string): string {
  return `2025-${day}T00:00:00Z`;
}

const lines = [
  { bucket: { bucketId: randomUUID(), hostname, organisationId } },
  { folder: { path: "/a folder" } },
  ...uploads,
];

describe("filters of the list", { skip: chromiumMissing }, () => {
  const world = sharedWorld();
  before(async () => {
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    await world.run(["import", "ndjson", "-"], text);
  });

  const open = async (query = "") => {
    const search = new URLSearchParams({ bucket: hostname, ...(query !== "" && { query }) });
    await world.page.goto(`${world.url}/?${search}`);
    await world.page.getByRole("button", { name: "Filters", exact: true }).click();
  };
  const query = () => new URL(world.page.url()).searchParams.get("query") ?? "";
  const control = (name: string) => world.page.getByLabel(name, { exact: true });
  const menu = (name: string) => world.page.getByRole("combobox", { name, exact: true });
  const untilNames = (names: string) =>
    until(`the list is ${names}`, async () => {
      return (
        (await listedNames(world.page)).map((name) => name.replace(".txt", "")).join(" ") === names
      );
    });

  it("by tags are typed, clicked in a row, and removed one by one", async () => {
    await open();
    await untilNames("a folder a b c d");
    await world.page.getByRole("button", { name: "for Ada", exact: true }).first().click();
    // Folders have no tags.
    await untilNames("b c");
    await world.page.getByRole("textbox", { name: "With tag" }).fill("draft");
    await world.page.keyboard.press("Enter");
    await untilNames("b");
    assert.equal(query(), 'tag:"for Ada" tag:draft');
    await world.page.getByRole("button", { name: 'Remove the filter tag:"for Ada"' }).click();
    await untilNames("a b");
    await world.page.goBack();
    await untilNames("b");
  });

  it("by tags differ in upper and lower case", async () => {
    await open("tag:Draft");
    await world.page.getByText("No file matches.").waitFor();
    await world.page.getByRole("button", { name: "Clear search" }).last().click();
    await untilNames("a folder a b c d");
    assert.equal(query(), "");
  });

  it("give the focus to the list when they are removed by a key", async () => {
    await open("tag:draft tag:nowhere");
    await world.page.getByText("No file matches.").waitFor();
    await world.page.getByRole("button", { name: "Remove the filter tag:nowhere" }).press("Enter");
    await untilNames("a b");
    await world.page.locator("#uploads-grid:focus").waitFor({ timeout: 5000 });
    await world.page.getByRole("button", { name: "Clear search" }).press("Enter");
    await untilNames("a folder a b c d");
    await world.page.keyboard.press("Space");
    await world.page.getByRole("button", { name: "Clear selection" }).press("Enter");
    await world.page.locator("#uploads-grid:focus").waitFor({ timeout: 5000 });
  });

  it("by type and by size are chosen, and are the same as in the text", async () => {
    await open("txt");
    await untilNames("a b c d");
    await menu("Type").selectOption("Text");
    await until("it is in the text", () => query() === "txt type:text");
    await menu("Size").selectOption("over 1 MB");
    await untilNames("d");
    assert.equal(query(), "txt type:text size:>1MB");
    await searchField(world.page).fill("size:<2k txt");
    await untilNames("a b c");
    assert.equal(await menu("Size").inputValue(), "<2k");
    assert.equal(await menu("Type").inputValue(), "");
    await menu("Size").selectOption("Any");
    await untilNames("a b c d");
    assert.equal(query(), "txt");
  });

  it("by days include the first and the last", async () => {
    await open();
    await listed(world.page, "a.txt").waitFor();
    await control("Created from").fill("2026-03-02");
    await untilNames("b c d");
    await control("Created to").fill("2026-03-02");
    await untilNames("b");
    assert.equal(query(), "created:2026-03-02");
    await control("Created from").fill("");
    await untilNames("a b");
    assert.equal(query(), "created:<=2026-03-02");
  });

  it("by days of a change are the same as in the text", async () => {
    await open("changed:2025-02");
    await untilNames("b c d");
    assert.equal(await control("Changed from").inputValue(), "2025-02-01");
    assert.equal(await control("Changed to").inputValue(), "2025-02-28");
    await control("Changed to").fill("2025-02-10");
    await untilNames("b d");
    assert.equal(query(), "changed:2025-02-01..2025-02-10");
  });

  it("by days take the other day along when they pass it", async () => {
    await open("created:2026-03-02..2026-03-03");
    await untilNames("b c");
    await control("Created from").fill("2026-03-04");
    await untilNames("d");
    assert.equal(query(), "created:2026-03-04");
    await control("Created to").fill("2026-03-01");
    await untilNames("a");
    assert.equal(query(), "created:2026-03-01");
  });

  it("by days leave the other day as it was while a day is typed", async () => {
    await open("created:2026-03-02..2026-03-03");
    await untilNames("b c");
    // As the 15th is typed.
    for (const day of ["2026-03-01", "2026-03-15"]) await control("Created to").fill(day);
    await untilNames("b c d");
    assert.equal(query(), "created:2026-03-02..2026-03-15");
  });

  it("by days ignore a year of five digits", async () => {
    await open("created:>=2026-03-02");
    await untilNames("b c d");
    const field = control("Created from");
    await field.focus();
    // Day, month and year; then one digit too many.
    await world.page.keyboard.type("03032026");
    await untilNames("c d");
    await world.page.keyboard.type("5");
    assert.equal(query(), "created:>=2026-03-03");
    // Chromium shows the last four digits.
    await world.page.keyboard.type("2026");
    assert.equal(await field.inputValue(), "2026-03-03");
    // Programs that fill fields do not obey the highest year.
    await field.fill("20265-03-03");
    await field.blur();
    assert.equal(query(), "created:>=2026-03-03");
    assert.equal(await field.inputValue(), "2026-03-03");
  });

  it("do not apply to the sizes of folders, which say so", async () => {
    const note = world.page.getByText("The search and filters do not apply here.");
    await open("tag:draft");
    await world.page.getByRole("link", { name: "Where the bytes are" }).click();
    await note.waitFor();
    await world.page.goto(`${world.url}/?bucket=${hostname}&view=space`);
    await spaceChart(world.page).waitFor();
    assert.equal(await note.count(), 0);
  });

  it("worked without a complaint of the browser", () => {
    assert.deepEqual(world.complaints, []);
  });
});
