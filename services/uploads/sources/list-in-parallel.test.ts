import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Key } from "./keys.ts";
import { listInParallel } from "./list-in-parallel.ts";
import type { ListedPage, Lister, ListingRange } from "./lister.ts";

const { signal } = new AbortController();
const page = (key: string): ListedPage => ({ objects: [], leftOut: [], lastKey: key });

/** Lists `count` ranges. Each has two pages, unless it fails after the first one. */
function lister(count: number, fails: (range: ListingRange) => boolean = () => false) {
  const open = new Set<ListingRange>();
  const counts = { most: 0 };
  const listed: Lister = {
    ranges: async () =>
      Array.from({ length: count }, (_, index) => ({ after: `${index}`, until: `${index}` })),
    async *list(range) {
      open.add(range);
      counts.most = Math.max(counts.most, open.size);
      try {
        yield page(`${range.after}/1`);
        if (fails(range)) throw new Error("broken");
        yield page(`${range.after}/2`);
      } finally {
        open.delete(range);
      }
    },
  };
  return { listed, open, counts };
}

async function* pagesOf(listed: Lister): AsyncGenerator<ListedPage> {
  const ranges = await listed.ranges([], signal);
  for await (const { page } of listInParallel(listed, ranges, signal)) {
    if (page !== undefined) yield page;
  }
}

describe("a listing in parallel", () => {
  it("has all pages of all ranges, eight ranges at once", async () => {
    const { listed, open, counts } = lister(20);
    const pages = await Array.fromAsync(pagesOf(listed));
    assert.equal(new Set(pages.map(({ lastKey }) => lastKey)).size, 40);
    assert.deepEqual([counts.most, open.size], [8, 0]);
  });

  it("tells the end of each range after its pages", async () => {
    const { listed } = lister(2);
    const ranges = await listed.ranges([], signal);
    const keys = new Map<Key | undefined, (Key | undefined)[]>();
    for await (const { range, page } of listInParallel(listed, ranges, signal)) {
      keys.set(range.after, [...(keys.get(range.after) ?? []), page?.lastKey]);
    }
    assert.deepEqual(Object.fromEntries(keys), {
      0: ["0/1", "0/2", undefined],
      1: ["1/1", "1/2", undefined],
    });
  });

  it("fails with the first error, and ends the other listings", async () => {
    const { listed, open } = lister(20, ({ after }) => after === "2");
    await assert.rejects(Array.fromAsync(pagesOf(listed)), { message: "broken" });
    assert.equal(open.size, 0);
  });

  it("throws an error that occurs while its caller is busy with a page", async () => {
    const { listed, open } = lister(1, () => true);
    const keys: Key[] = [];
    const read = async () => {
      for await (const { lastKey } of pagesOf(listed)) {
        keys.push(lastKey);
        while (open.size > 0) await setImmediate();
        // Node reports errors without a handler before the next turn.
        await setImmediate();
      }
    };
    await assert.rejects(read(), { message: "broken" });
    assert.deepEqual(keys, ["0/1"]);
  });

  it("ends all listings when its caller stops", async () => {
    const { listed, open } = lister(3);
    for await (const _ of pagesOf(listed)) break;
    assert.equal(open.size, 0);
  });
});
