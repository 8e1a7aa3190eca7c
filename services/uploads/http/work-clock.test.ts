import assert from "node:assert/strict";
import { it } from "node:test";
import { WorkClock } from "./work-clock.ts";

it("a clock that has ended does not begin again after a long pause", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  let reports = 0;
  const onUp = () => {
    reports += 1;
  };
  const clock = new WorkClock(10, onUp, () => nowMs);
  clock.pause();
  nowMs = 1000;
  t.mock.timers.tick(1000);
  clock.end();
  clock.resume();
  t.mock.timers.tick(100_000);
  assert.equal(reports, 0);
});
