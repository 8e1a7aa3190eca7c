/** Where the bytes are: as a map and as a table, of many folders, by the keys alone. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import { spaceChart } from "./testing/page-parts.ts";
import { signedInWorld } from "./testing/signed-in-world.ts";
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
  const world = signedInWorld();
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

  it("are a map of the first folders if there are many of the same size", async () => {
    await open("/equal", "Map");
    await chart().getByRole("button", { name: "1,102 other folders" }).waitFor();
    assert.equal(await link(/^folder /).count(), 98);
  });

  it("worked without a complaint of the browser", () => {
    assert.deepEqual(world.complaints, []);
  });
});
