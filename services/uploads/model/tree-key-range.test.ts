import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { arbitraryPath } from "./testing/arbitrary-path.ts";
import { treeKey } from "./tree-key.ts";
import {
  compareBytes,
  coveringFolders,
  intersectRanges,
  mergeRanges,
  rangesContain,
  subtractRanges,
  subtreeRange,
  type TreeKeyRange,
} from "./tree-key-range.ts";

// Keys of one letter: a range is then a set of letters, and sets are the model.
const letters = [..."abcdefghij"];
const arbitraryRange = fc
  .tuple(fc.constantFrom(...letters), fc.constantFrom(...letters))
  .filter(([a, b]) => a < b)
  .map(([from, to]): TreeKeyRange => ({ from, to }));
const arbitraryRanges = fc.array(arbitraryRange, { maxLength: 6 });

function lettersIn(ranges: readonly TreeKeyRange[]): string[] {
  return letters.filter((letter) => ranges.some(({ from, to }) => from <= letter && letter < to));
}

function assertDisjointInOrder(ranges: readonly TreeKeyRange[]): void {
  let end = "";
  for (const { from, to } of ranges) {
    assert.ok(end <= from && from < to);
    end = to;
  }
}

describe("ranges of tree keys", () => {
  it("merge to the same keys, disjoint and in order", () => {
    fc.assert(
      fc.property(arbitraryRanges, (ranges) => {
        const merged = mergeRanges(ranges);
        assertDisjointInOrder(merged);
        assert.deepEqual(lettersIn(merged), lettersIn(ranges));
      }),
    );
  });

  it("subtract as sets do", () => {
    fc.assert(
      fc.property(arbitraryRanges, arbitraryRanges, (some, others) => {
        const left = subtractRanges(mergeRanges(some), mergeRanges(others));
        assertDisjointInOrder(left);
        const without = new Set(lettersIn(others));
        assert.deepEqual(
          lettersIn(left),
          lettersIn(some).filter((letter) => !without.has(letter)),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it("intersect as sets do", () => {
    fc.assert(
      fc.property(arbitraryRanges, arbitraryRange, (ranges, window) => {
        const common = intersectRanges(mergeRanges(ranges), window);
        assertDisjointInOrder(common);
        const inside = new Set(lettersIn([window]));
        assert.deepEqual(
          lettersIn(common),
          lettersIn(ranges).filter((letter) => inside.has(letter)),
        );
      }),
    );
  });

  it("hold a key where one of them does", () => {
    fc.assert(
      fc.property(arbitraryRanges, fc.constantFrom(...letters), (ranges, letter) => {
        assert.equal(
          rangesContain(mergeRanges(ranges), letter),
          lettersIn(ranges).includes(letter),
        );
      }),
    );
  });
});

describe("compareBytes()", () => {
  it("orders as UTF-8 bytes do", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "ÿ", "\ud7ff", "～", "\uffff", "😀", "𐀀"),
    });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
        assert.equal(Math.sign(compareBytes(a, b)), expected);
      }),
      { numRuns: 2000 },
    );
  });
});

const subtrees = (paths: readonly string[]) =>
  mergeRanges(paths.map((path) => subtreeRange(treeKey(path))));

describe("the folders that cover ranges", () => {
  it("are those that were granted", () => {
    assert.deepEqual(coveringFolders(subtrees(["/a/b", "/c"])), ["/a/b", "/c"].map(treeKey));
    assert.deepEqual(coveringFolders(subtrees(["/"])), [""]);
    // A folder without what is in it: no key is between a key and that key with "\u0001" after it.
    const key = treeKey("/a");
    assert.deepEqual(coveringFolders([{ from: key, to: `${key}\u0001` as typeof key }]), [key]);
    assert.deepEqual(coveringFolders([]), []);
  });

  it("do not mind what is hidden in them", () => {
    const ranges = subtractRanges(subtrees(["/a", "/d"]), subtrees(["/a/b", "/a/c/e"]));
    assert.deepEqual(coveringFolders(ranges), ["/a", "/d"].map(treeKey));
    assert.deepEqual(coveringFolders(subtractRanges(subtrees(["/"]), subtrees(["/a"]))), [""]);
  });

  it("hold every key of the ranges, and are not under one another", () => {
    const paths = fc.array(arbitraryPath, { maxLength: 5 });
    fc.assert(
      fc.property(paths, paths, (granted, hidden) => {
        const ranges = subtractRanges(subtrees(granted), subtrees(hidden));
        const folders = coveringFolders(ranges);
        const covered = mergeRanges(folders.map(subtreeRange));
        assert.deepEqual(subtractRanges(ranges, covered), []);
        assert.equal(covered.length, folders.length);
        for (const path of granted) {
          if (rangesContain(ranges, treeKey(path)))
            assert.ok(rangesContain(covered, treeKey(path)));
        }
        // Nothing of what is not granted: each covering folder is granted or above nothing else.
        for (const folder of folders) assert.ok(rangesContain(subtrees(granted), folder));
      }),
    );
  });
});
