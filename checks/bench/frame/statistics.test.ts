import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { percentileOf, ratiosOf, spreadOf } from "./statistics.ts";

describe("the spread of values", () => {
  it("has the middle one of an odd number as its median, in whatever order they come", () => {
    assert.deepEqual(spreadOf([9, 1, 5]), { median: 5, min: 1, max: 9 });
  });

  it("has the mean of the two in the middle of an even number", () => {
    assert.deepEqual(spreadOf([10, 2, 4, 100]), { median: 7, min: 2, max: 100 });
  });

  it("is that value where there is one, and an error where there is none", () => {
    assert.deepEqual(spreadOf([3]), { median: 3, min: 3, max: 3 });
    assert.throws(() => spreadOf([]), RangeError);
  });

  it("leaves the values as they were", () => {
    const values = [3, 1, 2];
    spreadOf(values);
    assert.deepEqual(values, [3, 1, 2]);
  });
});

describe("ratios of two series", () => {
  it("compare what was measured in the same round", () => {
    assert.deepEqual(ratiosOf([10, 30], [5, 10]), [2, 3]);
  });

  it("cannot be had of series of different lengths", () => {
    assert.throws(() => ratiosOf([1, 2], [1]), RangeError);
  });
});

describe("a percentile", () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index);

  it("is the least value that so many of a hundred do not exceed", () => {
    const found = [0, 50, 99, 99.9, 100].map((percentile) => percentileOf(values, percentile));
    assert.deepEqual(found, [1, 100, 198, 200, 200]);
    assert.equal(percentileOf([7], 50), 7);
  });

  it("cannot be had of no values", () => {
    assert.throws(() => percentileOf([], 50), RangeError);
  });
});
