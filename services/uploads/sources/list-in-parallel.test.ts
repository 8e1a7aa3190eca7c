import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Key } from "./keys.ts";
import { listInParallel } from "./list-in-parallel.ts";
import type { ListedPage, Lister, Listing, ListingRange, TryToDivide } from "./lister.ts";
import { FakeStore } from "./testing/fake-store.ts";

const { signal } = new AbortController();
const page = (key: Key): ListedPage => ({
  objects: [],
  leftOut: [{ key, reason: "", isUnreadable: false }],
});
const keyOf = ({ leftOut }: ListedPage) => leftOut[0]?.key;

/** Lists `count` ranges. Each has two pages, unless it fails after the first one. */
function lister(count: number, fails: (range: ListingRange) => boolean = () => false) {
  const open = new Set<ListingRange>();
  const counts = { most: 0 };
  const listed: Pick<Lister, "ranges" | "list"> = {
    ranges: () =>
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

/** A lister of one range with so many pages. */
function divisible(pages: number, findDivision: NonNullable<Listing["findDivision"]>) {
  const counts = { searches: 0 };
  async function* list() {
    for (let number = 1; number <= pages; number++) {
      await setImmediate();
      yield page(`${number}`);
    }
  }
  const listed: Pick<Lister, "ranges" | "list"> = {
    ranges: () => [{ after: undefined, until: undefined }],
    list: () => ({
      [Symbol.asyncIterator]: list,
      findDivision(onRequest) {
        counts.searches += 1;
        return findDivision(onRequest);
      },
    }),
  };
  return { listed, counts };
}

async function* noPages(): AsyncGenerator<ListedPage> {}

function pagesOf(listed: Pick<Lister, "ranges" | "list">): AsyncGenerator<ListedPage> {
  return listInParallel(listed, listed.ranges([]), signal);
}

describe("a listing in parallel", () => {
  it("has all pages of all ranges, eight ranges at once", async () => {
    const { listed, open, counts } = lister(20);
    const pages = await Array.fromAsync(pagesOf(listed));
    assert.equal(new Set(pages.map(keyOf)).size, 40);
    assert.deepEqual([counts.most, open.size], [8, 0]);
  });

  it("divides ranges that go on, when there is nothing else to list", async () => {
    const store = new FakeStore();
    const keys = Array.from({ length: 2000 }, (_, number) => String(number).padStart(4, "0"));
    for (const key of keys) store.put(key, 1);
    const pages = await Array.fromAsync(pagesOf(store.lister({ pageSize: 10, divides: true })));
    const listedKeys = pages.flatMap(({ objects }) => objects.map(({ key }) => key));
    assert.deepEqual(listedKeys.toSorted(), keys);
    const ranges = store.begunAfter.length;
    assert.ok(ranges >= 8, `${ranges} ranges`);
    assert.ok(ranges < 40, `${ranges} ranges`);
  });

  it("reads on while it looks for a division", async () => {
    const { promise, resolve } = Promise.withResolvers<TryToDivide>();
    const { listed } = divisible(20, () => promise);
    const pages: ListedPage[] = [];
    for await (const each of pagesOf(listed)) {
      pages.push(each);
      if (keyOf(each) === "20") resolve(() => assert.fail("the range has ended"));
    }
    assert.equal(pages.length, 20);
  });

  it("divides even if pages are always ready", async () => {
    let divisions = 0;
    const divide = () => {
      divisions += 1;
      return noPages();
    };
    const { listed } = divisible(20, async () => divide);
    for await (const _ of pagesOf(listed)) {
      for (let turn = 0; turn < 5; turn++) await setImmediate();
    }
    assert.ok(divisions > 1, `${divisions} divisions`);
  });

  it("makes few requests if its searches find nothing", async () => {
    const { listed, counts } = divisible(400, async (onRequest) => {
      for (let request = 0; request < 5; request++) onRequest();
      return () => undefined;
    });
    await Array.fromAsync(pagesOf(listed));
    const requestsMax = 32 + 400 / 4 + 5;
    assert.ok(counts.searches > 20);
    assert.ok(counts.searches * 5 <= requestsMax, `${counts.searches} searches`);
  });

  it("does not divide a range of few pages", async () => {
    const store = new FakeStore();
    for (let number = 0; number < 20; number++) store.put(`${number}`, 1);
    await Array.fromAsync(pagesOf(store.lister({ pageSize: 10, divides: true })));
    assert.equal(store.begunAfter.length, 1);
  });

  it("fails with the first error, and ends the other listings", async () => {
    const { listed, open } = lister(20, ({ after }) => after === "2");
    await assert.rejects(Array.fromAsync(pagesOf(listed)), { message: "broken" });
    assert.equal(open.size, 0);
  });

  it("throws an error that occurs while its caller is busy with a page", async () => {
    const { listed, open } = lister(1, () => true);
    const keys: (Key | undefined)[] = [];
    const read = async () => {
      for await (const each of pagesOf(listed)) {
        keys.push(keyOf(each));
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
