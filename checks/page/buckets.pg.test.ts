/** The buckets of the organisation: one is found among many, and when they cannot be read. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import { seriousFindings } from "./testing/audit.ts";
import { listed } from "./testing/page-parts.ts";
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

  it("cannot be read while one has too many bytes, which the page names", async () => {
    const { page } = world;
    await page.clock.install();
    await page.goto(world.url);
    await listed(page, "photos").waitFor();
    const bucketId = randomUUID();
    const importSizes = async (sizeBytes: number) => {
      const bucket = { bucketId, hostname: "large.example", organisationId };
      const lines = ["one", "two"].map((filename) => ({
        upload: { path: "/", filename, sizeBytes },
      }));
      const text = [{ bucket }, ...lines].map((line) => JSON.stringify(line)).join("\n");
      await world.run(["import", "ndjson", "-"], text);
    };
    const reason = page.getByText(
      "The buckets cannot be read: the uploads of the bucket large.example have over 2^53-1 bytes",
    );

    await importSizes(Number.MAX_SAFE_INTEGER);
    // The page reads the buckets again.
    await page.clock.fastForward("00:40");
    await reason.waitFor();
    assert.ok(await listed(page, "photos").isVisible());
    await page.reload();
    await reason.waitFor();
    assert.deepEqual(await seriousFindings(page), []);

    await importSizes(1);
    await page.clock.fastForward("00:40");
    await listed(page, "photos").waitFor();
    await reason.waitFor({ state: "detached" });
  });
});
