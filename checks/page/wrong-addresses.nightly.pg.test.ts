/** Addresses that cannot be right get a plain sentence, and a way on. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chromiumMissing } from "@stowage/process/testing";
import { listed } from "./testing/page-parts.ts";
import { sharedWorld } from "./testing/signed-in-world.ts";

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
    about: "a search that is too long",
    query: `?query=${"long".repeat(130)}`,
    sentence: /^The address has “(long){10,}.*” for query\./,
    wayOn: "Correct the address",
    leadsTo: "read me first.txt",
  },
];

describe("an address of the page with", { skip: chromiumMissing }, () => {
  const world = sharedWorld();

  for (const { about, query, sentence, wayOn, leadsTo } of wrongAddresses) {
    it(`${about} says so, and has a way on`, async () => {
      await world.page.goto(`${world.url}/${query}`);
      await world.page.getByText(sentence).first().waitFor();
      const way = world.page.getByRole("link", { name: wayOn });
      await way
        .or(world.page.getByRole("button", { name: wayOn }))
        .first()
        .click();
      await listed(world.page, leadsTo).waitFor();
      assert.equal(await world.page.getByText(sentence).count(), 0);
    });
  }

  it("an upload that does not exist says so, and shows the rest", async () => {
    await world.page.goto(`${world.url}/?folder=%2Fphotos&upload=0b4c3a52`);
    await world.page.getByText(/^There is no such file\./).waitFor();
    await listed(world.page, "harbour at dawn.png").waitFor();
    await world.page.getByRole("complementary").getByRole("button", { name: "Close" }).click();
    await world.page.getByText(/^There is no such file\./).waitFor({ state: "detached" });
  });

  it("a long path gives the focus to its folders when they are shown", async () => {
    await world.page.goto(`${world.url}/?folder=/a/b/c/d/e/f`);
    await world.page.getByRole("button", { name: "Show the whole path" }).press("Enter");
    await world.page.locator(".breadcrumb li:nth-child(2) a:focus").waitFor();
  });
});
