/** The buckets of the organisation: one is found among many. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import { seriousFindings } from "./testing/audit.ts";
import { signedInWorld } from "./testing/signed-in-world.ts";
import { organisationId } from "./testing/world.ts";

describe("the buckets on the page", { skip: chromiumMissing }, () => {
  const world = signedInWorld();

  it("are filtered by a part of their name, each time anew", async () => {
    const { page } = world;
    const lines = Array.from({ length: 13 }, (_, index) => {
      const hostname = `bucket-${index}.example`;
      return JSON.stringify({ bucket: { bucketId: randomUUID(), hostname, organisationId } });
    });
    await world.run(["import", "ndjson", "-"], lines.join("\n"));
    await page.goto(world.url);
    const button = page.getByRole("button", { name: /^Bucket/ });
    const field = page.getByRole("searchbox", { name: "Filter buckets" });
    const items = page.locator(".bucket-item");
    await button.click();
    await field.fill("Bucket-1");
    assert.deepEqual(
      (await items.allInnerTexts()).map((text) => text.split("\n")[0]),
      ["bucket-1.example", "bucket-10.example", "bucket-11.example", "bucket-12.example"],
    );
    await field.fill(" zzz ");
    const status = page.getByRole("status").filter({ hasText: "No bucket has" });
    assert.equal(await status.innerText(), "No bucket has “zzz” in its name.");
    assert.deepEqual(await seriousFindings(page), []);
    await button.click();
    await field.waitFor({ state: "hidden" });
    await button.click();
    assert.equal(await field.inputValue(), "");
    assert.equal(await items.count(), 14);
    await page.keyboard.press("Escape");
  });
});
