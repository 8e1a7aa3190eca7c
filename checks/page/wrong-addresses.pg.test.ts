/** Addresses that cannot be right get a plain sentence, and a way on. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import type { Page } from "playwright-core";
import { listed } from "./testing/page-parts.ts";
import { openSignedIn, type Visitor } from "./testing/visitor.ts";
import { startWorld, type World } from "./testing/world.ts";

interface WrongAddress {
  /** What is wrong with it. */
  readonly about: string;
  readonly query: string;
  readonly sentence: string | RegExp;
  /** The link or button that leads on. */
  readonly wayOn: string;
  /** What is in the list then. */
  readonly leadsTo: string;
}

const wrongAddresses: readonly WrongAddress[] = [
  {
    about: "a bucket that does not exist",
    query: "?bucket=nowhere.example",
    sentence: "There is no bucket nowhere.example that you may see.",
    wayOn: "files.example",
    leadsTo: "read me first.txt",
  },
  {
    about: "a bucket whose name would turn the sentence around",
    query: "?bucket=nowhere%E2%80%AE.example",
    sentence: "There is no bucket nowhere\\u{202e}.example that you may see.",
    wayOn: "files.example",
    leadsTo: "read me first.txt",
  },
  {
    about: "a folder that does not exist",
    query: "?folder=%2Fphotos%2F1999",
    sentence: "There is no folder /photos/1999 that you may see.",
    wayOn: "Show the folder above",
    leadsTo: "harbour at dawn.png",
  },
  {
    about: "a folder that cannot exist",
    query: "?folder=photos%2F..%2Fdocuments",
    sentence: /^The address has “photos\/\.\.\/documents” for folder\./,
    wayOn: "Correct the address",
    leadsTo: "read me first.txt",
  },
  {
    about: "an order that there is none of",
    query: "?sort=colour",
    sentence: /^The address has “colour” for sort\. Allowed: filename, size_bytes, /,
    wayOn: "Correct the address",
    leadsTo: "read me first.txt",
  },
  {
    about: "a day that there is none of",
    query: "?from=2026-02-30",
    sentence: /^The address has “2026-02-30” for from\./,
    wayOn: "Correct the address",
    leadsTo: "read me first.txt",
  },
  {
    about: "a search that is too long",
    query: `?search=${"long".repeat(100)}`,
    sentence: /^The address has “(long){10,}.*” for search\./,
    wayOn: "Correct the address",
    leadsTo: "read me first.txt",
  },
];

describe("an address of the page with", { skip: chromiumMissing }, () => {
  let world: World;
  let visitor: Visitor;
  let page: Page;
  before(async () => {
    world = await startWorld();
    visitor = await openSignedIn(world);
    page = visitor.page;
  });
  after(() => world?.[Symbol.asyncDispose]());

  for (const { about, query, sentence, wayOn, leadsTo } of wrongAddresses) {
    it(`${about} says so, and has a way on`, async () => {
      await page.goto(`${world.url}/${query}`);
      await page.getByText(sentence).first().waitFor();
      const way = page.getByRole("link", { name: wayOn });
      await way
        .or(page.getByRole("button", { name: wayOn }))
        .first()
        .click();
      await listed(page, leadsTo).waitFor();
      assert.equal(await page.getByText(sentence).count(), 0);
    });
  }

  it("an upload that does not exist says so, and shows the rest", async () => {
    const file = "&file=%2Fphotos%2Fgone.png";
    await page.goto(`${world.url}/?folder=%2Fphotos&upload=0b4c3a52${file}`);
    await page.getByText(/^There is no such upload\./).waitFor();
    await listed(page, "harbour at dawn.png").waitFor();
    await page.getByRole("complementary").getByRole("button", { name: "Close" }).click();
    await page.getByText(/^There is no such upload\./).waitFor({ state: "detached" });
  });
});
