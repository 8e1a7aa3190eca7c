import assert from "node:assert/strict";
import { it } from "node:test";
import { type FloodCase, mostInWindow, runFloodCase } from "./flood-case.ts";

const seconds = 0.3;
const { signal } = new AbortController();

function run(floodCase: Omit<FloodCase, "title">) {
  return runFloodCase({ title: "test", ...floodCase }, seconds, signal);
}

it("without a flood there is one fetch at the start, and one that brings the new key", async () => {
  const outcome = await run({ unknownPerSecond: 0, behaviour: "up", publishedAt: 0.5 });
  assert.equal(outcome.fetchesInAnyWindow, 2);
  assert.equal(outcome.newKeyRefusedMs, 0);
  assert.deepEqual([outcome.unknownEnds, outcome.goodEnds], [{}, { accepted: 60 }]);
  assert.equal(outcome.goodLatencies.count, 60);
});

for (const behaviour of ["failing", "hanging"] as const) {
  it(`${behaviour}: unknown keys are told to come back, good tokens are accepted`, async () => {
    const outcome = await run({ unknownPerSecond: 1000, behaviour });
    assert(outcome.fetchesInAnyWindow <= 2);
    assert.equal(outcome.newKeyRefusedMs, undefined);
    assert.deepEqual(outcome.unknownEnds, { KEY_SET_UNAVAILABLE: 300 });
    assert.deepEqual(outcome.goodEnds, { accepted: 60 });
  });
}

it("the most fetches within a window are counted wherever the window begins", () => {
  const timesMs = [0, 5_050, 10_100, 10_200, 15_150, 30_000];
  const most = [100, 101, 10_000, 60_000].map((length) => mostInWindow(timesMs, length));
  assert.deepEqual(most, [1, 2, 3, 6]);
  assert.equal(mostInWindow([0, 10_000], 10_000), 1);
  assert.equal(mostInWindow([], 10_000), 0);
});
