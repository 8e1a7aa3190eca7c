/** Where the bytes are: as a map and as a table, of many folders, by the keys alone. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import { spaceChart, uploadGrid } from "./testing/page-parts.ts";
import { sharedWorld } from "./testing/signed-in-world.ts";
import { organisationId } from "./testing/world.ts";

const hostname = "space.example";

function uploadOf(path: string, sizeBytes: number) {
  return { upload: { path, filename: "file.bin", sizeBytes } };
}

const lines = [
  { bucket: { bucketId: randomUUID(), hostname, organisationId } },
  ...Array.from({ length: 1200 }, (_, index) => uploadOf(`/equal/folder ${index + 1000}`, 1000)),
  uploadOf("/nested", 50_000),
  uploadOf("/nested/inner/innermost", 60_000),
  uploadOf("/nested/nothing", 0),
];

describe("the sizes of folders", { skip: chromiumMissing }, () => {
  const world = sharedWorld();
  before(async () => {
    await world.run(
      ["import", "ndjson", "-"],
      lines.map((line) => JSON.stringify(line)).join("\n"),
    );
  });

  const chart = () => spaceChart(world.page);
  const link = (name: RegExp) => chart().getByRole("link", { name });
  const open = async (folder: string, form: "Map" | "Table") => {
    const query = new URLSearchParams({ bucket: hostname, folder, view: "space" });
    await world.page.goto(`${world.url}/?${query}`);
    await chart().getByRole("button", { name: form }).click();
    await chart().locator(".space-cell, td").first().waitFor();
  };
  const hasFocus = (name: RegExp) => link(name).and(world.page.locator(":focus")).waitFor();

  it("are a map of the first folders if there are many of the same size", async () => {
    await open("/equal", "Map");
    await chart().getByRole("button", { name: "1,102 other folders" }).waitFor();
    assert.equal(await link(/^folder /).count(), 98);
  });

  it("are a table for the other folders, and it gets the focus", async () => {
    await open("/equal", "Map");
    await chart().getByRole("button", { name: "other folders" }).press("Enter");
    await chart().getByRole("table").waitFor();
    await hasFocus(/^folder 1000/);
  });

  for (const form of ["Map", "Table"] as const) {
    it(`keep the focus while folders are opened in the ${form.toLowerCase()}`, async () => {
      await open("/", form);
      await link(/^nested/).press("Enter");
      await hasFocus(/^inner/);
      await world.page.keyboard.press("Enter");
      await hasFocus(/^innermost/);
    });

    it(`lead the focus from the ${form.toLowerCase()} to the list of the files here`, async () => {
      await open("/nested", form);
      await link(/^Files here/).press("Enter");
      await uploadGrid(world.page).and(world.page.locator(":focus")).waitFor();
    });
  }

  it("keep the focus in the pane if a folder takes up no space", async () => {
    await open("/nested", "Table");
    await link(/^nothing/).press("Enter");
    await world.page.getByText("Nothing in this folder takes up space.").waitFor();
    await world.page.locator("#uploads:focus").waitFor();
  });

  it("worked without a complaint of the browser", () => {
    assert.deepEqual(world.complaints, []);
  });
});
