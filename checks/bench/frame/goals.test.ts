import assert from "node:assert/strict";
import { it } from "node:test";
import { goalsTable } from "./goals.ts";

it("goals are passed or missed, with what the outcome was", () => {
  const table = goalsTable([
    { title: "p99 ≤ 25 ms", outcome: "12.0 ms", isMet: true },
    { title: "≥ 6 × plain", outcome: "5.90", isMet: false },
  ]);
  assert.match(table, /^\| p99 ≤ 25 ms \| pass \| 12\.0 ms/m);
  assert.match(table, /^\| ≥ 6 × plain \| MISS \| 5\.90/m);
});
