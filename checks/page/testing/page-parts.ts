/** The parts of the page, found as people and screen readers find them. */
import type { Locator, Page } from "playwright-core";

export function searchField(page: Page): Locator {
  return page.getByRole("combobox", { name: "Search" });
}

export function folderTree(page: Page): Locator {
  return page.getByRole("tree", { name: "Folders" });
}

/** A folder of the tree. Its name is followed by its totals. */
export function treeItem(page: Page, name: string): Locator {
  const start = new RegExp(`^${escaped(name)}\\s*(,|$)`);
  return folderTree(page).getByRole("treeitem", { name: start });
}

export function uploadGrid(page: Page): Locator {
  return page.getByRole("grid", { name: "Files" });
}

/** The link of an upload or a folder in the list. */
export function listed(page: Page, name: string): Locator {
  return uploadGrid(page).getByRole("link", { name, exact: true });
}

/** The names in the list, folders first, as far as they are in sight. */
export async function listedNames(page: Page): Promise<string[]> {
  return await uploadGrid(page).locator("[data-action=open]").allInnerTexts();
}

export function uploadPanel(page: Page): Locator {
  return page.getByRole("complementary", { name: "File" });
}

/** The map or the table of the sizes of folders. */
export function spaceChart(page: Page): Locator {
  return page.getByRole("region", { name: "Where the bytes are" });
}

/** Waits until the page does not say that it loads something, and its images are there. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.locator(loading).first().waitFor({ state: "detached" });
  await page.evaluate("Promise.all(Array.from(document.images, (image) => image.decode()))");
}

/** Folders and lists; a list with the answer to the former question; messages. */
const loading = "[aria-busy=true], [data-former], .list-loading, .is-late";

/** What a script of the page gets for a call of ListBuckets. */
export function callListBuckets(page: Page): Promise<{ status: number; text: string }> {
  return page.evaluate(async () => {
    const response = await fetch("/stowage.v1.BucketsService/ListBuckets", {
      method: "POST",
      headers: { "connect-protocol-version": "1", "content-type": "application/json" },
      body: "{}",
    });
    return { status: response.status, text: await response.text() };
  });
}

/** Signs out by the menu of the account, and confirms it to the issuer. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign out?" }).waitFor();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
