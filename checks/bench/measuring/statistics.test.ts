import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { percentileOf, spreadOf } from "./statistics.ts";

describe("the spread of values", () => {
  it("has the middle value of an odd number as its median, in whatever order they come", () => {
    assert.deepEqual(spreadOf([9, 1, 5]), { median: 5, min: 1, max: 9 });
  });

  it("has the mean of the two middle values of an even number as its median", () => {
    assert.deepEqual(spreadOf([10, 2, 4, 100]), { median: 7, min: 2, max: 100 });
  });

  it("is an error for no values", () => {
    assert.throws(() => spreadOf([]), RangeError);
  });
});

describe("a percentile", () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index);

  it("is the smallest value that so many percent do not exceed", () => {
    const found = [0, 50, 99, 99.9, 100].map((percentile) => percentileOf(values, percentile));
    assert.deepEqual(found, [1, 100, 198, 200, 200]);
  });

  it("is an error for no values", () => {
    assert.throws(() => percentileOf([], 50), RangeError);
  });
});
