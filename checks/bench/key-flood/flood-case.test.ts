import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type FloodCase, mostInWindow, runFloodCase } from "./flood-case.ts";

const seconds = 0.3;
const { signal } = new AbortController();

function run(floodCase: Omit<FloodCase, "title">) {
  return runFloodCase({ title: "test", ...floodCase }, seconds, signal);
}

describe("a case of the key flood", () => {
  it("without a flood: sees one fetch at the start, and one that brings the new key", async () => {
    const outcome = await run({ unknownPerSecond: 0, behaviour: "up", publishedAt: 0.5 });
    assert.equal(outcome.fetchesInAnyWindow, 2);
    assert(outcome.newKey !== undefined && outcome.newKey.firstAcceptedMs < 5_000);
    assert.equal(outcome.newKey.lastRefusedMs, 0);
    assert.equal(outcome.unknownEnds.size, 0);
    assert.deepEqual([...outcome.goodEnds], [["accepted", 60]]);
    assert.equal(outcome.fromCall.count, 60);
    assert.equal(outcome.fromDue.count, 60);
  });

  for (const behaviour of ["failing", "hanging"] as const) {
    it(`${behaviour}: tells unknown keys to come back, and accepts good tokens`, async () => {
      const outcome = await run({ unknownPerSecond: 1000, behaviour });
      assert(outcome.fetchesInAnyWindow <= 2);
      assert.equal(outcome.newKey, undefined);
      assert.deepEqual([...outcome.unknownEnds], [["KEY_SET_UNAVAILABLE", 300]]);
      assert.deepEqual([...outcome.goodEnds], [["accepted", 60]]);
    });
  }
});

it("the most fetches within a window are counted wherever the window begins", () => {
  const timesMs = [0, 5_050, 10_100, 10_200, 15_150, 30_000];
  assert.equal(mostInWindow(timesMs, 10_000), 3);
  assert.equal(mostInWindow(timesMs, 100), 1);
  assert.equal(mostInWindow(timesMs, 101), 2);
  assert.equal(mostInWindow(timesMs, 60_000), 6);
  assert.equal(mostInWindow([0, 10_000], 10_000), 1);
  assert.equal(mostInWindow([], 10_000), 0);
});
