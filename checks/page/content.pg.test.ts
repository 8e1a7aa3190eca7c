/** One upload in the panel: previews, downloads, and links that other people open. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import type { Locator } from "playwright-core";
import { listed, uploadPanel } from "./testing/page-parts.ts";
import { download, openUpload, previews } from "./testing/previews.ts";
import { sharedWorld } from "./testing/signed-in-world.ts";
import { openSignedIn } from "./testing/visitor.ts";

describe("an upload on the page", { skip: chromiumMissing }, () => {
  const world = sharedWorld();
  let panel: Locator;
  before(async () => {
    panel = uploadPanel(world.page);
  });

  const open = (folder: string, name: string) =>
    openUpload(world.page, world.url, { folder, name });

  for (const preview of previews) {
    it(`that is ${preview.what} is shown`, async () => {
      await openUpload(world.page, world.url, preview);
      await preview.isShown(panel);
    });
  }

  it("that is a long text is shown up to 256 KiB", async () => {
    await open("documents", "long log.txt");
    const long = panel.getByRole("textbox", { name: "Text of long log.txt" });
    await panel.getByText(/This is the first 256\sKiB of the text/).waitFor();
    const shown = await long.inputValue();
    const whole = `${world.files.get("documents/long log.txt")}`;
    assert.ok(whole.startsWith(shown) && shown.length > 250_000 && shown.length <= 2 ** 18);
  });

  it("gives way to the next and the previous of the list, by keys and buttons", async () => {
    await open("photos/2026", "Grüße aus Köln 🙂.png");
    await world.page.keyboard.press("n");
    await panel.getByRole("img", { name: "ridge.png" }).waitFor();
    // Below the last upload there is nothing, above the first there are only folders.
    await panel.getByRole("button", { name: "Next file", disabled: true }).waitFor();
    await world.page.keyboard.press("n");
    assert.ok(await panel.getByRole("heading", { name: "ridge.png" }).isVisible());
    const previous = panel.getByRole("button", { name: "Previous file" });
    await previous.click();
    await panel.getByRole("img", { name: "Grüße aus Köln 🙂.png" }).waitFor();
    assert.equal(await previous.getAttribute("aria-disabled"), "true");
    assert.ok(await previous.evaluate((button) => button.matches(":focus")));
    await world.page.goBack();
    await listed(world.page, "ridge.png").waitFor();
    await panel.waitFor({ state: "detached" });
  });

  it("gives the focus to the list when it is closed by a key after a reload", async () => {
    await open("photos", "harbour at dawn.png");
    await world.page.reload();
    await panel.getByRole("img", { name: "harbour at dawn.png" }).waitFor();
    await panel.getByRole("button", { name: "Close" }).press("Enter");
    await world.page.locator("#uploads-grid:focus").waitFor();
  });

  it("has an address that its reader can open", async () => {
    await open("documents", "minutes of June.txt");
    const link = panel.getByRole("link", { name: `${world.url}/content/` });
    const tab = world.page.waitForEvent("popup");
    await link.click();
    await (await tab).getByText("Present: Ada, Grace.").waitFor();
    await (await tab).close();
  });

  it("that is a PDF offers to load the page again after a new release", async () => {
    await using other = await openSignedIn(world);
    await other.page.route("**/assets/open-pdf-*.js", (route) => route.fulfill({ status: 404 }));
    await openUpload(other.page, world.url, { folder: "documents", name: "minutes of June.txt" });
    await listed(other.page, "annual report.pdf").click();
    const again = uploadPanel(other.page).getByRole("button", { name: "Load the page again" });
    await again.waitFor();
    await other.page.unroute("**/assets/open-pdf-*.js");
    await again.click();
    await uploadPanel(other.page).getByRole("img", { name: "Page 1 of 1" }).waitFor();
  });

  it("offers to load the page again after a new release", async () => {
    await using other = await openSignedIn(world, "/?folder=%2Fdocuments");
    await listed(other.page, "annual report.pdf").waitFor();
    await other.page.route("**/assets/*.js", (route) => route.fulfill({ status: 404 }));
    await listed(other.page, "annual report.pdf").click();
    const again = uploadPanel(other.page).getByRole("button", { name: "Load the page again" });
    await again.waitFor();
    await other.page.unroute("**/assets/*.js");
    await again.click();
    await uploadPanel(other.page).getByRole("heading", { name: "annual report.pdf" }).waitFor();
  });

  it("that claims to be a picture still offers its download", async () => {
    await open("broken", "not an image.png");
    await panel
      .getByRole("alert")
      .getByText(/You can still download it/)
      .waitFor();
    await assertDownloads("broken/not an image.png");
  });

  it("with scripts in it runs none, and is downloaded like any other", async () => {
    for (const name of ["hostile.html", "hostile.svg"]) {
      await open("web", name);
      await panel.getByRole("link", { name: "Download" }).waitFor();
      await assertDownloads(`web/${name}`);
    }
    assert.equal(await world.page.evaluate("window.ran"), undefined);
  });

  it("with an awkward name is downloaded byte for byte", async () => {
    await open("photos/2026", "Grüße aus Köln 🙂.png");
    const name = await assertDownloads("photos/2026/Grüße aus Köln 🙂.png");
    assert.equal(name, "Grüße aus Köln 🙂.png");
    await open("names", "100% & more?#[1].txt");
    await assertDownloads("names/100% & more?#[1].txt");
  });

  it("has a link that shows somebody else the same view", async () => {
    await open("photos", "harbour at dawn.png");
    await world.page.getByRole("columnheader", { name: "Size" }).getByRole("button").click();
    await world.page.waitForURL(/sort=size_bytes/);
    await panel.getByRole("button", { name: "Copy link" }).click();
    await panel.getByText("The link to this view is copied.").waitFor();
    const { pathname, search } = new URL(await clipboard());

    await using other = await openSignedIn(world, pathname + search);
    await uploadPanel(other.page).getByRole("img", { name: "harbour at dawn.png" }).waitFor();
    const size = other.page.getByRole("columnheader", { name: "Size" });
    assert.ok(await size.getAttribute("aria-sort"));
    assert.equal(other.page.url(), `${world.url}${pathname}${search}`);
    assert.deepEqual(other.complaints, []);
  });

  it("has a download link that needs no cookie", async () => {
    await open("documents", "annual report.pdf");
    await panel.getByRole("button", { name: "Copy download link" }).click();
    await panel.getByText(/^The download link is copied\./).waitFor();
    const link = await clipboard();
    const response = await fetch(link);
    assert.equal(response.status, 200);
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.ok(bytes.equals(contentOf("documents/annual report.pdf")));
    // One letter of its signature makes the difference.
    const altered = link.slice(0, -1) + (link.endsWith("A") ? "B" : "A");
    assert.equal((await fetch(altered)).status, 403);
  });

  it("has a path to copy", async () => {
    await open("photos", "harbour at dawn.png");
    await panel.getByRole("button", { name: "Copy path" }).click();
    await panel.getByText("The path is copied.").waitFor();
    assert.equal(await clipboard(), "/photos/harbour at dawn.png");
  });

  it("worked without a complaint of the browser", () => {
    assert.deepEqual(world.complaints, []);
  });

  /** Downloads what the panel shows and compares the bytes. Returns the name of the file. */
  async function assertDownloads(path: string): Promise<string> {
    const { name, bytes } = await download(world.page);
    assert.ok(bytes.equals(contentOf(path)), `${path} differs`);
    return name;
  }

  function contentOf(path: string): Buffer {
    const content = world.files.get(path);
    assert.ok(content, `there is no sample ${path}`);
    return content;
  }

  async function clipboard(): Promise<string> {
    return String(await world.page.evaluate("navigator.clipboard.readText()"));
  }
});
