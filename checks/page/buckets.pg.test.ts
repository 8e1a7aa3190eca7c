/** The buckets of the organisation: when they cannot be read. */
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
