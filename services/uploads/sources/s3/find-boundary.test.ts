import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compareKeys, externalPathOf, type Key, keyOfBytes } from "../keys.ts";
import { isInRange, type ListingRange } from "../lister.ts";
import { findBoundary } from "./find-boundary.ts";

interface FoundRange extends ListingRange {
  /** The last key of its first page. It is divided after that. */
  readonly lastKey: Key | undefined;
  readonly charactersInCommon: number | undefined;
}

/** The ranges into which a bucket of these keys is divided, eight if there are so many. */
async function divide(keys: readonly Key[], keyAtEnd?: (after: Key) => Key) {
  let requests = 0;
  const sorted = [...new Set(keys)].toSorted(compareKeys);
  const firstKeyAfter = async (after: Key) => {
    requests += 1;
    return sorted.find((key) => compareKeys(key, after) > 0) ?? keyAtEnd?.(after);
  };
  const rangeOf = (range: ListingRange, charactersInCommon?: number): FoundRange => {
    const firstPage = sorted.filter((key) => isInRange(key, range)).slice(0, 3);
    return { ...range, lastKey: firstPage.at(-1), charactersInCommon };
  };
  let ranges = [rangeOf({ after: undefined, until: undefined })];
  for (let before = 0; ranges.length > before && ranges.length < 8; ) {
    before = ranges.length;
    const divided = ranges.map(async (range) => {
      const left = { after: range.lastKey, until: range.until };
      const found = await findBoundary(firstKeyAfter, left, range.charactersInCommon);
      if (found === undefined) return [range];
      const { boundary, charactersInCommon } = found;
      assert.ok(isInRange(boundary, left) && boundary !== range.until);
      return [
        { ...range, until: boundary, charactersInCommon },
        rangeOf({ after: boundary, until: range.until }, charactersInCommon),
      ];
    });
    ranges = (await Promise.all(divided)).flat();
  }
  const counts = ranges.map((range) => sorted.filter((key) => isInRange(key, range)).length);
  return { sorted, ranges, counts, requests };
}

const numbers = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(6, "0")}`);

describe("the ranges of a bucket", () => {
  it("cover all keys once, in order, and know what their keys have in common", async () => {
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
        const { sorted, ranges, counts } = await divide(keys);
        assert.equal(ranges[0]?.after, undefined);
        assert.equal(ranges.at(-1)?.until, undefined);
        for (const [index, { until }] of ranges.slice(0, -1).entries()) {
          assert.equal(ranges[index + 1]?.after, until);
        }
        for (const { lastKey, until, charactersInCommon } of ranges) {
          const begin = [...String(lastKey)].slice(0, charactersInCommon ?? 0).join("");
          const left = sorted.filter((key) => isInRange(key, { after: lastKey, until }));
          assert.ok(left.every((key) => externalPathOf(key).startsWith(begin)));
        }
        assert.equal(
          counts.reduce((sum, count) => sum + count, 0),
          sorted.length,
        );
      }),
    );
  });

  it("divide keys that begin alike", async () => {
    const { counts } = await divide(numbers("exports/customer-data/2026-11-22/part-", 1000));
    assert.ok(counts.length >= 8, `${counts.length} ranges`);
    assert.ok(Math.max(...counts) <= 500, `${counts}`);
  });

  it("divide the larger of two folders", async () => {
    const { counts } = await divide([...numbers("a/", 4), ...numbers("b/b/b/", 1000), "z"]);
    assert.ok(Math.max(...counts) <= 500, `${counts}`);
  });

  it("are found by few requests among folders whose names begin with others", async () => {
    const names = Array.from({ length: 5000 }, (_, number) => `${number % 50}/${number}/file`);
    const { counts, requests } = await divide(names);
    assert.ok(counts.length >= 8, `${counts.length} ranges`);
    assert.ok(requests <= 3 * counts.length, `${requests} requests for ${counts.length} ranges`);
  });

  for (const [what, first] of [
    ["Chinese", 0x4e00],
    ["Russian", 0x430],
    ["beyond the Basic Multilingual Plane", 0x20000],
  ] as const) {
    it(`divide names whose characters are ${what}`, async () => {
      const { counts } = await divide(
        Array.from({ length: 1000 }, (_, number) => {
          const characters = [first + (number % 31), first + (number % 29), 0x30 + (number % 10)];
          return `files/${String.fromCodePoint(...characters)}`;
        }),
      );
      assert.ok(counts.length >= 8, `${counts.length} ranges`);
      assert.ok(Math.max(...counts) <= 500, `${counts}`);
    });
  }

  it("are the same if a page at the end of the bucket has a key, as with versions", async () => {
    const names = numbers("exports/part-", 1000);
    const { counts } = await divide(names, (after) => after);
    assert.deepEqual(counts, (await divide(names)).counts);
  });

  it("are found without texts that are longer than keys may be", async () => {
    const { ranges } = await divide(numbers("x".repeat(1011), 1000));
    assert.equal(ranges.length, 1);
    const { ranges: shorter } = await divide(numbers("x".repeat(1010), 1000));
    assert.ok(shorter.length >= 8);
    for (const { until = "" } of shorter) assert.ok(Buffer.byteLength(until) <= 1024);
  });

  it("are one for an empty bucket", async () => {
    assert.deepEqual((await divide([])).counts, [0]);
  });
});
