import assert from "node:assert/strict";
import { it } from "node:test";
import { PausableTimeout } from "./pausable-timeout.ts";

it("a timeout that was cleared does not begin again after a long pause", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  let reports = 0;
  const onTimeout = () => {
    reports += 1;
  };
  const timeout = new PausableTimeout(10, onTimeout, () => nowMs);
  timeout.pause();
  nowMs = 1000;
  t.mock.timers.tick(1000);
  timeout.clear();
  timeout.resume();
  t.mock.timers.tick(100_000);
  assert.equal(reports, 0);
});
