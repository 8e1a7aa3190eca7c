import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compareKeys, type Key, keyOfBytes } from "../keys.ts";
import type { PagePosition, StorePage } from "./read-page.ts";
import { splitRanges } from "./split-ranges.ts";

const pageKeys = 3;

/** A store with these keys, and the ranges found in it. */
async function split(
  keys: readonly Key[],
  emptyPageEnd: (after: Key | undefined) => Key | undefined = () => undefined,
) {
  let requests = 0;
  const sorted = [...new Set(keys)].toSorted(compareKeys);
  const following = (after: Key | undefined) => {
    requests += 1;
    return sorted.filter((key) => after === undefined || compareKeys(key, after) > 0);
  };
  const readPage = async ({ after, keysMax = pageKeys }: PagePosition): Promise<StorePage> => {
    const all = following(after);
    const objects = all.slice(0, keysMax).map((key) => ({ key }) as StorePage["objects"][number]);
    const next = all.length > keysMax ? { token: "next" } : undefined;
    return { objects, lastKey: objects.at(-1)?.key ?? emptyPageEnd(after), next };
  };
  const ranges = await splitRanges(readPage, 8);
  const counts = ranges.map(({ after, until }) => {
    const isIn = (key: Key) =>
      (after === undefined || compareKeys(key, after) > 0) &&
      (until === undefined || compareKeys(key, until) <= 0);
    return sorted.filter(isIn).length;
  });
  return { sorted, ranges, counts, requests };
}

const numbers = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(6, "0")}`);

describe("the ranges of a bucket", () => {
  it("cover all keys once, in order, with pages that are theirs", async () => {
    const character = fc.constantFrom(
      "a",
      "b",
      "/",
      "0",
      "9",
      "~",
      "é",
      "\uffff",
      "😀",
      "\u{10fffd}",
    );
    const text = fc.array(character, { minLength: 1, maxLength: 5 }).map((all) => all.join(""));
    const invalid = text.map((start) => keyOfBytes(Buffer.from(`${start}\xff`, "latin1")));
    const key = fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: invalid });
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 80 }), async (keys) => {
        const { sorted, ranges, counts } = await split(keys);
        assert.equal(ranges[0]?.after, undefined);
        assert.equal(ranges.at(-1)?.until, undefined);
        for (const [index, { until }] of ranges.slice(0, -1).entries()) {
          assert.equal(ranges[index + 1]?.after, until);
        }
        for (const { after, pages } of ranges) {
          const theirs = sorted.filter((key) => after === undefined || compareKeys(key, after) > 0);
          const read = pages.flatMap(({ objects }) => objects.map(({ key }) => key));
          assert.deepEqual(read, theirs.slice(0, read.length));
        }
        assert.equal(
          counts.reduce((sum, count) => sum + count, 0),
          sorted.length,
        );
      }),
    );
  });

  it("divide keys that begin alike", async () => {
    const { counts } = await split(numbers("exports/customer-data/2026-11-22/part-", 1000));
    assert.ok(counts.length >= 8, `${counts.length} ranges`);
    assert.ok(Math.max(...counts) <= 500, `${counts}`);
  });

  it("divide the larger of two folders", async () => {
    const { counts } = await split([...numbers("a/", 4), ...numbers("b/b/b/", 1000), "z"]);
    assert.ok(Math.max(...counts) <= 500, `${counts}`);
  });

  it("are found by few requests among folders whose names begin with others", async () => {
    const names = Array.from({ length: 5000 }, (_, number) => `${number % 50}/${number}/file`);
    const { counts, requests } = await split(names);
    assert.ok(counts.length >= 8, `${counts.length} ranges`);
    assert.ok(requests <= 3 * counts.length, `${requests} requests for ${counts.length} ranges`);
  });

  it("are the same if empty pages end where they begin, as those of versions do", async () => {
    const names = numbers("exports/part-", 1000);
    const { counts } = await split(names, (after) => after);
    assert.deepEqual(counts, (await split(names)).counts);
  });

  it("are one for a small bucket, found without further requests", async () => {
    const { ranges, requests } = await split(numbers("a/", 4 * pageKeys));
    assert.equal(ranges.length, 1);
    assert.equal(requests, 4);
  });

  it("are one for an empty bucket", async () => {
    assert.deepEqual((await split([])).counts, [0]);
  });
});
