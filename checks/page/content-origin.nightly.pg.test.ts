/** Content with an origin of its own: previews come from the page's server, all else from there. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import { uploadPanel } from "./testing/page-parts.ts";
import { download, openUpload, previews } from "./testing/previews.ts";
import { signedInWorld } from "./testing/signed-in-world.ts";

describe("content with an origin of its own", { skip: chromiumMissing }, () => {
  const world = signedInWorld({ hasContentOrigin: true });

  for (const preview of previews) {
    it(`that is ${preview.what} is shown on the page`, async () => {
      await openUpload(world.page, world.url, preview);
      await preview.isShown(uploadPanel(world.page));
    });
  }

  it("is downloaded from its origin", async () => {
    await openUpload(world.page, world.url, { folder: "documents", name: "annual report.pdf" });
    const { name, bytes, origin } = await download(world.page);
    assert.deepEqual([name, origin], ["annual report.pdf", world.uploads.url]);
    assert.ok(world.files.get("documents/annual report.pdf")?.equals(bytes));
  });

  it("opens in a tab at its origin", async () => {
    await openUpload(world.page, world.url, { folder: "documents", name: "minutes of June.txt" });
    const tab = world.page.waitForEvent("popup");
    await uploadPanel(world.page)
      .getByRole("link", { name: `${world.url}/content/` })
      .click();
    await (await tab).waitForURL((url) => url.origin === world.uploads.url);
    await (await tab).close();
  });

  it("worked without a complaint of the browser", () => {
    assert.deepEqual(world.complaints, []);
  });
});
