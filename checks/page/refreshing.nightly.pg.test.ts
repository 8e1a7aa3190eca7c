/** What the page shows of changes in a source while it is open. */
import assert from "node:assert/strict";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  chromiumMissing,
  makeTemporaryFolder,
  patienceMs,
  type TemporaryFolder,
  until,
} from "@stowage/process/testing";
import type { Page, Request } from "playwright-core";
import {
  folderTree,
  listed,
  listedNames,
  treeItem,
  uploadGrid,
  uploadPanel,
} from "./testing/page-parts.ts";
import { samplePng } from "./testing/sample-media.ts";
import { sharedWorld } from "./testing/signed-in-world.ts";
import { organisationId } from "./testing/world.ts";

const hostname = "changes.example";

describe("an open page shows", { skip: chromiumMissing }, () => {
  const world = sharedWorld();
  let folder: TemporaryFolder;
  const path = (name: string) => join(folder.path, name);
  before(async () => {
    folder = await makeTemporaryFolder();
    await mkdir(path("here"));
    await mkdir(path("old folder"));
    for (let number = 100; number < 300; number++) {
      await writeFile(path(`here/${number}.txt`), `${number}`);
    }
    await writeFile(path("old folder/old name.txt"), "first");
    await writeFile(path("old folder/picture.png"), paddedPng(1));
    const place = ["--bucket", hostname, "--organisation", organisationId];
    const source = ["dir", folder.path, ...place, "--name", "changes"];
    await world.run(["sources", "add", ...source, "--sync"]);
    await world.page.clock.install();
  });
  after(() => folder?.remove());

  const sync = () => world.run(["sources", "sync", "changes"]);
  /** Lets the page read the buckets again, which tell that a run was completed. */
  const pass = () => world.page.clock.fastForward("00:40");
  const open = async (query: string) => {
    await world.page.goto(`${world.url}/?bucket=${hostname}${query}`);
    await uploadGrid(world.page).waitFor();
  };
  const preview = () => uploadPanel(world.page).getByRole("textbox", { name: /^Text of/ });

  it("an edit of the same size", async () => {
    await open("&folder=/old folder");
    await listed(world.page, "old name.txt").click();
    await until("the text is there", async () => (await preview().inputValue()) === "first");
    await writeFile(path("old folder/old name.txt"), "FIFTH");
    await sync();
    await pass();
    await until("it changes", async () => (await preview().inputValue()) === "FIFTH", patienceMs);
  });

  it("another picture of the same size", async () => {
    await open("&folder=/old folder");
    await listed(world.page, "picture.png").click();
    const picture = uploadPanel(world.page).getByRole("img", { name: "picture.png" });
    await picture.waitFor();
    const before = await pixelOf(world.page);
    await writeFile(path("old folder/picture.png"), paddedPng(2));
    await sync();
    await pass();
    await until("it changes", async () => (await pixelOf(world.page)) !== before, patienceMs);
  });

  it("nothing new while nothing has changed", async () => {
    const { page } = world;
    await open("&folder=/here");
    await listed(page, "104.txt").click();
    await until("the text is there", async () => (await preview().inputValue()) === "104");
    await listed(page, "105.txt").click({ modifiers: ["Control"] });
    await page.getByText(/^Selected: 1 file, /).waitFor();
    await uploadGrid(page).focus();
    await page.locator(".list-scroll").evaluate((list) => list.scrollTo(0, 2000));
    await listed(page, "160.txt").waitFor();
    const before = await page.evaluate(stateOfPage);
    await page.evaluate(watchChanges);
    const calls: string[] = [];
    const note = (request: Request) => calls.push(new URL(request.url()).pathname);
    page.on("request", note);

    for (let run = 1; run <= 2; run++) {
      await sync();
      await pass();
      await until("everything is read again", () => {
        const count = (method: string) => calls.filter((call) => call.endsWith(method)).length;
        const areListsRead = count("/ListUploads") >= run && count("/ListFolderTree") >= 2 * run;
        return areListsRead && count("/GetUpload") >= run;
      });
    }
    await page.waitForLoadState("networkidle");
    page.off("request", note);
    assert.deepEqual(await page.evaluate("changes"), []);
    assert.deepEqual(await page.evaluate(stateOfPage), before);
    assert.deepEqual(
      calls.filter((call) => call.startsWith("/content/")),
      [],
    );
  });

  it("new names of files and folders", async () => {
    await open("");
    await treeItem(world.page, "old folder").waitFor();
    await open("&folder=/old folder");
    await listed(world.page, "old name.txt").waitFor();
    await rename(path("old folder/old name.txt"), path("old folder/new name.txt"));
    await sync();
    await pass();
    // A run adds what is new before it deletes what is gone, and the page may read in between.
    await until("the list has the new name alone", async () => {
      return `${await listedNames(world.page)}` === "new name.txt,picture.png";
    });
    await rename(path("old folder"), path("new folder"));
    await sync();
    await pass();
    await treeItem(world.page, "new folder").waitFor();
    await treeItem(world.page, "old folder").waitFor({ state: "detached" });
    await world.page.getByText("There is no folder /old folder that you may see.").waitFor();
  });

  it("a folder that appears, and until then that it is missing", async () => {
    const { page } = world;
    const missing = page.getByText("There is no folder /later/inner that you may see.");
    await page.goto(`${world.url}/?bucket=${hostname}&folder=/later/inner`);
    await missing.waitFor();
    await page.waitForLoadState("networkidle");
    await page.evaluate(watchChanges);
    const look = page.waitForResponse((response) => response.status() === 404);
    await sync();
    await pass();
    await (await look).finished();
    await page.waitForLoadState("networkidle");
    assert.deepEqual(await page.evaluate("changes"), []);

    await mkdir(path("later/inner"), { recursive: true });
    await writeFile(path("later/inner/first.txt"), "first");
    await sync();
    await pass();
    await listed(page, "first.txt").waitFor();
    await rename(path("later"), path("earlier"));
    await sync();
    await pass();
    await missing.waitFor();
    await rename(path("earlier"), path("later"));
    await sync();
    await pass();
    await listed(page, "first.txt").waitFor();
  });

  it("the open folders that are in sight, and others when they come into sight", async () => {
    const { page } = world;
    const deep = Array.from({ length: 40 }, (_, index) => `/level ${index + 1}`).join("");
    await mkdir(path(deep), { recursive: true });
    await writeFile(path(`${deep}/deep.txt`), "deep");
    await mkdir(path("first name"));
    await writeFile(path("first name/a.txt"), "a");
    await sync();
    await open(`&folder=${deep}`);
    await treeItem(page, "level 40").waitFor();
    await page.waitForLoadState("networkidle");
    await page.setViewportSize({ width: 1440, height: 500 });
    let calls = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/ListFolderTree")) calls++;
    });
    const list = page.waitForResponse((response) => response.url().endsWith("/ListUploads"));
    await rename(path("first name"), path("first new name"));
    await sync();
    await pass();
    await list;
    await page.waitForLoadState("networkidle");
    assert.ok(calls > 1 && calls < 20, `${calls} calls`);
    await folderTree(page).press("Home");
    await treeItem(page, "first new name").waitFor();
    assert.equal(await treeItem(page, "first name").count(), 0);
  });

  it("no entry that turned out to lead nowhere", async () => {
    const { page } = world;
    await open("&folder=/new folder");
    await listed(page, "new name.txt").waitFor();
    await rename(path("new folder/new name.txt"), path("new folder/newer name.txt"));
    await sync();
    await listed(page, "new name.txt").click();
    await uploadPanel(page).getByText("There is no such file.").waitFor();
    await listed(page, "newer name.txt").waitFor();
    assert.equal(await listed(page, "new name.txt").count(), 0);

    await open("");
    await treeItem(page, "new folder").waitFor();
    await rename(path("new folder"), path("newer folder"));
    await sync();
    await treeItem(page, "new folder").click();
    await page.getByText("There is no folder /new folder that you may see.").waitFor();
    await treeItem(page, "newer folder").waitFor();
    assert.equal(await treeItem(page, "new folder").count(), 0);
  });
});

/** Pictures of one size. What follows the end of a picture is ignored. */
function paddedPng(seed: number): Buffer {
  return Buffer.concat([samplePng(seed), Buffer.alloc(10_000)]).subarray(0, 10_000);
}

const stateOfPage = `({
  focus: document.activeElement.id,
  top: document.querySelector(".list-scroll").scrollTop,
  selection: document.querySelector(".list-status").innerText,
})`;

/** Notes every change of the list, the tree and the panel. React always sets values of fields. */
const watchChanges = `globalThis.changes = [];
  const isField = ({ target }) => target instanceof Element && target.matches("input, option");
  for (const part of document.querySelectorAll("main, nav, aside")) {
    new MutationObserver((records) => {
      const others = records.filter((record) => !isField(record));
      changes.push(...others.map(({ type, target }) => type + " of " + target.outerHTML));
    }).observe(part, { subtree: true, childList: true, attributes: true, characterData: true });
  }`;

/** The colour in the middle of the picture in the panel. */
function pixelOf(page: Page): Promise<string> {
  return page.evaluate<string>(`(async () => {
    const picture = document.querySelector(".upload-image");
    await picture.decode();
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context.drawImage(picture, -200, -200);
    return String(context.getImageData(0, 0, 1, 1).data);
  })()`);
}
