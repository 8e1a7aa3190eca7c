import assert from "node:assert/strict";
import { it } from "node:test";
import { mostInWindow } from "./most-in-window.ts";

it("the most within a window are counted wherever that window lies", () => {
  const timesMs = [0, 5_050, 10_100, 10_200, 15_150, 30_000];
  assert.equal(mostInWindow(timesMs, 10_000), 3);
  assert.equal(mostInWindow(timesMs, 100), 1);
  assert.equal(mostInWindow(timesMs, 101), 2);
  assert.equal(mostInWindow(timesMs, 60_000), 6);
});

it("two that are a whole window apart are not within one", () => {
  assert.equal(mostInWindow([0, 10_000], 10_000), 1);
  assert.equal(mostInWindow([0, 9_999], 10_000), 2);
});

it("of none there are none", () => {
  assert.equal(mostInWindow([], 10_000), 0);
});
