/** The list and the panel on phones, on tablets and at high zoom, and columns of long dates. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import { seriousFindings } from "./testing/audit.ts";
import {
  folderTree,
  listed,
  searchField,
  treeItem,
  uploadGrid,
  uploadPanel,
} from "./testing/page-parts.ts";
import { sharedWorld } from "./testing/signed-in-world.ts";
import { openVisitor, signIn } from "./testing/visitor.ts";

describe("the list with little room", { skip: chromiumMissing }, () => {
  const world = sharedWorld();

  const open = async (query: string, width: number, height: number) => {
    await world.page.setViewportSize({ width, height });
    await world.page.goto(`${world.url}/${query}`);
    await uploadGrid(world.page).waitFor();
  };
  const openPanel = async (name: string) => {
    await listed(world.page, name).click();
    await uploadPanel(world.page).getByRole("heading", { name }).waitFor();
  };

  it("shows rows on a screen of 320 by 256, which is one of 1280 by 1024 at 400 %", async () => {
    await open("?folder=%2Fdocuments", 320, 256);
    const name = listed(world.page, "minutes of June.txt");
    await name.scrollIntoViewIfNeeded();
    await name.click();
    await world.page.waitForURL(/upload=/);
  });

  it("shows rows below open filters", async () => {
    await open("?folder=%2Fdocuments", 640, 400);
    await world.page.getByRole("button", { name: "Filters", exact: true }).click();
    const rows = await world.page.locator(".list-scroll").boundingBox();
    assert.ok(rows !== null && rows.height >= 3 * 52, `${rows?.height} px`);
  });

  it("stays where it is when a search begins and when an upload is opened", async () => {
    const { page } = world;
    const top = async () => (await page.locator(".list-scroll").boundingBox())?.y;
    await open("?folder=%2Fphotos", 1280, 800);
    const before = await top();
    await page.getByRole("checkbox", { name: "Include subfolders" }).waitFor();
    await searchField(page).fill("ridge");
    await page.getByRole("button", { name: "Clear search" }).waitFor();
    assert.equal(await top(), before);
    await listed(page, "ridge.png").click();
    await uploadPanel(page).getByRole("img", { name: "ridge.png" }).waitFor();
    assert.equal(await top(), before);
  });

  const widths = [701, 768, 860, 861, 900, 1024, 1100, 1280, 1366, 1440, 1600, 1920];

  /** Which column is too wide, or the name too narrow, at each width of the screen. */
  async function columnFaults(): Promise<string[]> {
    const faults: string[] = [];
    for (const width of widths) {
      await world.page.setViewportSize({ width, height: 800 });
      const [name = 0, ...others] = await world.page
        .getByRole("columnheader")
        .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().width));
      const isWidest = name > Math.max(...others);
      if (!isWidest || name < 160) faults.push(`${width}: name ${name}, others ${others}`);
    }
    return faults;
  }

  for (const query of ["?query=ridge", "?folder=%2Fphotos%2F2026"]) {
    it(`gives names the widest column, also beside the panel: ${query}`, async () => {
      await open(query, 1440, 800);
      assert.deepEqual(await columnFaults(), []);
      await openPanel("ridge.png");
      assert.deepEqual(await columnFaults(), []);
    });
  }

  for (const [width, height] of [
    [720, 450],
    [768, 1024],
    [1024, 768],
  ] as const) {
    it(`opens one upload after the other on a screen of ${width} by ${height}`, async () => {
      const { page } = world;
      await open("?folder=%2Fdocuments", width, height);
      for (const name of ["minutes of June.txt", "annual report.pdf"]) {
        await openPanel(name);
        assert.deepEqual(await seriousFindings(page), []);
      }
      await page.keyboard.press("Escape");
      await treeItem(page, "documents").waitFor();
    });
  }

  it("has a divider that moves from the width that the folders have beside the panel", async () => {
    const { page } = world;
    await open("?folder=%2Fdocuments", 1440, 800);
    const divider = page.getByRole("separator", { name: "Width of the folders" });
    const folders = page.getByRole("navigation", { name: "Folders" });
    await divider.press("End");
    await openPanel("annual report.pdf");
    const states: unknown[] = [];
    for (const key of ["ArrowRight", "ArrowLeft"]) {
      await page.setViewportSize({ width: 900, height: 800 });
      await page.locator('hr[aria-valuenow="220"]').waitFor();
      await divider.press(key);
      const width = (await folders.boundingBox())?.width;
      const value = await divider.getAttribute("aria-valuenow");
      const most = await divider.getAttribute("aria-valuemax");
      await page.setViewportSize({ width: 1440, height: 800 });
      const widthLater = (await folders.boundingBox())?.width;
      states.push({ width, value, most, widthLater });
    }
    assert.deepEqual(states, [
      { width: 220, value: "220", most: "220", widthLater: 640 },
      { width: 200, value: "200", most: "220", widthLater: 200 },
    ]);
    await divider.press("Enter");
  });

  it("has the keys on a phone only for what the open panel does not cover", async () => {
    const { page } = world;
    const focused = (expression: string) => page.evaluate(`document.activeElement.${expression}`);
    await open("?folder=%2Fdocuments", 360, 740);
    for (const _ of ["while the panel is loaded", "when it has been loaded before"]) {
      await uploadGrid(page).press("Enter");
      await page.locator("#upload-heading:focus").waitFor();
      // Shift+Tab leaves the page at its first control, and comes back at its last.
      for (const key of [...Array(30).fill("Tab"), ...Array(40).fill("Shift+Tab")]) {
        await page.keyboard.press(key);
        assert.equal(await focused("closest('main')?.innerText"), undefined);
      }
      await page.getByRole("button", { name: "Skip to files" }).press("Enter");
      await page.locator("#upload-heading:focus").waitFor();
      await page.keyboard.press("Escape");
      await page.locator("#uploads-grid:focus").waitFor();
    }
  });

  it("keeps the focus while the page becomes narrower", async () => {
    const { page } = world;
    const tree = folderTree(page);
    const cases = [
      { focused: uploadGrid(page), from: 1440, to: 690, next: "#upload-heading" },
      { focused: tree, from: 1000, to: 800, next: "#upload-heading" },
      { focused: tree, from: 1440, to: 690, next: "#upload-heading" },
      { focused: tree, from: 1000, to: 690, next: "#uploads-grid" },
    ];
    for (const { focused, from, to, next } of cases) {
      await open("?folder=%2Fdocuments", from, 600);
      if (next === "#upload-heading") await openPanel("annual report.pdf");
      await focused.focus();
      await page.setViewportSize({ width: to, height: 600 });
      await page.locator(`${next}:focus`).waitFor();
    }
  });

  it("takes the place of the panel on a phone at a search or a change of the view", async () => {
    const { page } = world;
    const views = page.getByRole("navigation", { name: "View" });
    await open("?folder=%2Fdocuments", 390, 844);
    await openPanel("annual report.pdf");
    await searchField(page).fill("minutes");
    await listed(page, "minutes of June.txt").click();
    await views.getByRole("link", { name: "Where the bytes are" }).click();
    await page.getByRole("link", { name: /^Files here/ }).click();
    await openPanel("annual report.pdf");
    await views.getByRole("link", { name: "List" }).click();
    await uploadPanel(page).waitFor({ state: "detached" });
  });

  it("shows dates whole", async () => {
    for (const locale of ["en-US", "pt-BR", "de-DE"]) {
      await using visitor = await openVisitor(world, { locale });
      await signIn(visitor, world, "/?folder=%2Fphotos%2F2026");
      await listed(visitor.page, "ridge.png").waitFor();
      const cells = visitor.page.locator("td.list-cell-created, td.list-cell-changed");
      const missingPx = await cells.evaluateAll((elements) =>
        elements.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      );
      assert.ok(missingPx.length > 2);
      assert.deepEqual(new Set(missingPx), new Set([0]), locale);
    }
  });
});
