/** Filters by tags and by days, typed, clicked and from an address. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { chromiumMissing, until } from "@stowage/process/testing";
import { listed, listedNames, spaceChart } from "./testing/page-parts.ts";
import { sharedWorld } from "./testing/signed-in-world.ts";
import { organisationId } from "./testing/world.ts";

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
  const world = sharedWorld();
  before(async () => {
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    await world.run(["import", "ndjson", "-"], text);
  });

  const open = async (query = "") => {
    await world.page.goto(`${world.url}/?bucket=${hostname}${query}`);
    await world.page.getByRole("group", { name: "Filters" }).waitFor();
  };
  const filters = () => new URL(world.page.url()).search.replace(`?bucket=${hostname}`, "");
  const untilNames = (names: string) =>
    until(`the list is ${names}`, async () => {
      return (
        (await listedNames(world.page)).map((name) => name.replace(".txt", "")).join(" ") === names
      );
    });

  it("by tags are typed, clicked in a row, and removed one by one", async () => {
    await open();
    await untilNames("a folder a b c d");
    await world.page.getByRole("textbox", { name: "With tag" }).fill("draft");
    await world.page.keyboard.press("Enter");
    // Folders have no tags.
    await untilNames("a b");
    await world.page.getByRole("button", { name: "for Ada", exact: true }).click();
    await untilNames("b");
    assert.equal(filters(), "&tag=draft&tag=for+Ada");
    await world.page.getByRole("button", { name: "Remove the tag draft" }).click();
    await untilNames("b c");
    await world.page.goBack();
    await untilNames("b");
  });

  it("by tags differ in upper and lower case", async () => {
    await open("&tag=Draft");
    await world.page.getByText("No upload matches.").waitFor();
    await world.page.getByRole("button", { name: "Clear all filters" }).last().click();
    await untilNames("a folder a b c d");
    assert.equal(filters(), "");
  });

  it("give the focus to the list when they are removed by a key", async () => {
    await open("&tag=draft&tag=nowhere");
    await world.page.getByText("No upload matches.").waitFor();
    await world.page.getByRole("button", { name: "Remove the tag nowhere" }).press("Enter");
    await untilNames("a b");
    await world.page.locator("#uploads-grid:focus").waitFor({ timeout: 5000 });
    await world.page.getByRole("button", { name: "Clear all filters" }).press("Enter");
    await untilNames("a folder a b c d");
    await world.page.keyboard.press("Space");
    await world.page.getByRole("button", { name: "Clear selection" }).press("Enter");
    await world.page.locator("#uploads-grid:focus").waitFor({ timeout: 5000 });
  });

  it("by tags are 32 at most: after the last, the list has the focus", async () => {
    const tags = Array.from({ length: 31 }, (_, index) => `&tag=${index}`);
    await open(tags.join(""));
    const field = world.page.getByRole("textbox", { name: "With tag" });
    await field.fill("the last");
    await field.press("Enter");
    await world.page.getByRole("button", { name: "Remove the tag the last" }).waitFor();
    assert.equal(await field.count(), 0);
    await world.page.locator("#uploads:focus").waitFor();
  });

  it("by days include the first and the last", async () => {
    await open();
    await listed(world.page, "a.txt").waitFor();
    await world.page.getByLabel("Created", { exact: true }).fill("2026-03-02");
    await untilNames("b c d");
    await world.page.getByLabel("to", { exact: true }).fill("2026-03-02");
    await untilNames("b");
    assert.equal(filters(), "&from=2026-03-02&to=2026-03-02");
    await world.page.getByLabel("Created", { exact: true }).fill("");
    await untilNames("a b");
  });

  it("by days take the other day along when they pass it", async () => {
    await open("&from=2026-03-02&to=2026-03-03");
    await untilNames("b c");
    await world.page.getByLabel("Created", { exact: true }).fill("2026-03-04");
    await untilNames("d");
    assert.equal(filters(), "&from=2026-03-04&to=2026-03-04");
    await world.page.getByLabel("to", { exact: true }).fill("2026-03-01");
    await untilNames("a");
    assert.equal(filters(), "&from=2026-03-01&to=2026-03-01");
  });

  it("by days leave the other day as it was while a day is typed", async () => {
    await open("&from=2026-03-02&to=2026-03-03");
    await untilNames("b c");
    // As the 15th is typed.
    for (const day of ["2026-03-01", "2026-03-15"]) {
      await world.page.getByLabel("to", { exact: true }).fill(day);
    }
    await untilNames("b c d");
    assert.equal(filters(), "&from=2026-03-02&to=2026-03-15");
  });

  it("by days ignore a year of five digits", async () => {
    await open("&from=2026-03-02");
    await untilNames("b c d");
    const field = world.page.getByLabel("Created", { exact: true });
    await field.focus();
    // Day, month and year; then one digit too many.
    await world.page.keyboard.type("03032026");
    await untilNames("c d");
    await world.page.keyboard.type("5");
    assert.equal(filters(), "&from=2026-03-03");
    // Chromium shows the last four digits.
    await world.page.keyboard.type("2026");
    assert.equal(await field.inputValue(), "2026-03-03");
    // Programs that fill fields do not obey the highest year.
    await field.fill("20265-03-03");
    await field.blur();
    assert.equal(filters(), "&from=2026-03-03");
    assert.equal(await field.inputValue(), "2026-03-03");
  });

  it("are those of the address, together", async () => {
    await open("&tag=for+Ada&from=2026-03-03&sort=created_at");
    await untilNames("c");
    const from = world.page.getByLabel("Created", { exact: true });
    assert.equal(await from.inputValue(), "2026-03-03");
    await world.page.getByRole("button", { name: "Clear all filters" }).first().click();
    await untilNames("a folder a b c d");
  });

  it("do not apply to the sizes of folders, which say so", async () => {
    const note = world.page.getByText("The search and filters do not apply here.");
    await open("&tag=draft");
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
