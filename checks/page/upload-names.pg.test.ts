/** Uploads whose names change, or differ from others by what is hard to see. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import type { Request } from "playwright-core";
import { listed, uploadGrid, uploadPanel } from "./testing/page-parts.ts";
import { sharedWorld } from "./testing/signed-in-world.ts";
import { organisationId } from "./testing/world.ts";

const hostname = "names.example";
const bucketId = randomUUID();

describe("names of uploads on the page", { skip: chromiumMissing }, () => {
  const world = sharedWorld();

  /** Imports uploads of these names, by their IDs. */
  const importNames = async (names: Readonly<Record<string, string>>) => {
    const uploads = Object.entries(names).map(([uploadId, filename]) => {
      return { upload: { uploadId, filename, path: "/", sizeBytes: 1 } };
    });
    const lines = [{ bucket: { bucketId, hostname, organisationId } }, ...uploads];
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    await world.run(["import", "ndjson", "-"], text);
  };
  const open = (query = "") => world.page.goto(`${world.url}/?bucket=${hostname}${query}`);

  it("change, and links to the uploads lead to the new ones, with one call", async () => {
    await importNames({ plan: "old plan.txt" });
    await importNames({ plan: "new plan.txt" });
    let calls = 0;
    const count = (request: Request) => {
      if (request.url().endsWith("/GetUpload")) calls += 1;
    };
    world.page.on("request", count);
    await open("&upload=plan");
    await uploadPanel(world.page).getByRole("heading", { name: "new plan.txt" }).waitFor();
    world.page.off("request", count);
    assert.equal(calls, 1);
  });

  it("show every space, and can be clicked if they have nothing else", async () => {
    await importNames({ one: "a b.txt", two: "a  b.txt", only: "  " });
    await open();
    const widths = await Promise.all(
      [/^a b\.txt$/, /^a {2}b\.txt$/, /^ {2}$/].map(async (name) => {
        const link = world.page.locator("[data-action=open]").filter({ hasText: name });
        return (await link.boundingBox())?.width ?? 0;
      }),
    );
    const [one = 0, two = 0, only = 0] = widths;
    assert.ok(one < two, `${widths}`);
    assert.ok(only > 0, `${widths}`);
  });

  it("stay under the keys when the list gets other rows above them", async () => {
    const { page } = world;
    await page.clock.install();
    await importNames({ one: "1.txt", two: "2.txt", plan: "plan.txt", only: "only.txt" });
    await open();
    await listed(page, "plan.txt").waitFor();
    await uploadGrid(page).focus();
    await page.keyboard.press("End");
    await importNames({ another: "0.txt" });
    // The page asks for the totals of buckets again.
    await page.clock.fastForward("00:40");
    await listed(page, "0.txt").waitFor();
    // It comes to the next page of the list, which is read after the first.
    await listed(page, "plan.txt").waitFor();
    await page.keyboard.press("Enter");
    await uploadPanel(page).getByRole("heading", { name: "plan.txt" }).waitFor({ timeout: 5000 });
  });

  it("worked without a complaint of the browser", () => {
    assert.deepEqual(world.complaints, []);
  });
});
