import assert from "node:assert/strict";
import { it } from "node:test";
import { turnMsFor } from "./turn-time.ts";

it("a turn is as long as it may be, but leaves time for enough rounds", () => {
  const options = { contestants: 10, roundsMin: 3, turnMsMax: 500 };
  assert.equal(turnMsFor({ ...options, seconds: 60 }), 500);
  assert.equal(turnMsFor({ ...options, seconds: 3 }), 100);
});
