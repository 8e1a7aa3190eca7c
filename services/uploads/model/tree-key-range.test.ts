import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  compareBytes,
  intersectRanges,
  mergeRanges,
  rangesContain,
  subtractRanges,
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
