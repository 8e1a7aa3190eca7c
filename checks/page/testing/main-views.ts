/** The views that are audited. */
import type { Page } from "playwright-core";
import {
  folderTree,
  listed,
  searchField,
  spaceChart,
  treeItem,
  uploadPanel,
} from "./page-parts.ts";

interface MainView {
  readonly name: string;
  /** Opens it, and waits until it is complete. */
  readonly show: (page: Page, url: string) => Promise<void>;
}

export const mainViews: readonly MainView[] = [
  {
    name: "list",
    async show(page, url) {
      await page.goto(`${url}/?folder=%2Fphotos`);
      await listed(page, "harbour at dawn.png").waitFor();
    },
  },
  {
    name: "search",
    async show(page, url) {
      await page.goto(`${url}/?query=r&sort=size_bytes&order=desc`);
      await listed(page, "ridge.png").waitFor();
    },
  },
  {
    name: "filters",
    async show(page, url) {
      await page.goto(`${url}/?query=r+size:huge+-type:video+changed:%3E2000`);
      await page.getByText(/^size: needs a size/).waitFor();
      await page.getByRole("button", { name: "Filters", exact: true }).click();
      await listed(page, "ridge.png").waitFor();
    },
  },
  {
    name: "suggestions",
    async show(page, url) {
      await page.goto(url);
      await listed(page, "photos").waitFor();
      await searchField(page).pressSequentially("t");
      await page.keyboard.press("ArrowDown");
      await page.getByRole("option", { name: /^type:/ }).waitFor();
    },
  },
  {
    name: "panel",
    async show(page, url) {
      await page.goto(`${url}/?folder=%2Fphotos`);
      await listed(page, "harbour at dawn.png").click();
      await uploadPanel(page).getByRole("img", { name: "harbour at dawn.png" }).waitFor();
    },
  },
  {
    name: "folders",
    async show(page, url) {
      await page.goto(`${url}/?folders=summer`);
      // On a narrow screen, folders are behind a button.
      const button = page.getByRole("button", { name: "Show folders" });
      await button.or(folderTree(page)).first().waitFor();
      if (await button.isVisible()) await button.click();
      await treeItem(page, "summer").waitFor();
    },
  },
  {
    name: "space",
    async show(page, url) {
      await page.goto(`${url}/?view=space`);
      await spaceChart(page)
        .getByRole("link", { name: /^documents/ })
        .waitFor();
    },
  },
  {
    name: "keys",
    async show(page, url) {
      await page.goto(`${url}/`);
      await listed(page, "photos").waitFor();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    },
  },
  {
    name: "empty",
    async show(page, url) {
      await page.goto(`${url}/?query=nothing+like+it`);
      await page.getByText("No file matches.").waitFor();
    },
  },
];
