/** Two minutes of what `npm run mixed-load` does for as long as wanted. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { seed } from "../conformance/samples/random-bucket.ts";
import { growthMax, runMixedLoad } from "./mixed-load.ts";
import { growthOf } from "./usage.ts";

it(`mixed load with faults gets right answers only (seed ${seed})`, async (test) => {
  const { problems, summary, before, after } = await runMixedLoad({
    kind: "external",
    durationMs: 120_000,
    faultIntervalMs: 14_000,
    seed,
    signal: test.signal,
    say: (line) => test.diagnostic(line),
  });
  for (const line of summary) test.diagnostic(line);
  assert.deepEqual(problems, []);
  const { memoryBytes, handles } = growthOf(before, after);
  assert.ok(handles <= growthMax, `${after.handles} handles, ${before.handles} at the start`);
  // In so short a time, memory grows and shrinks by more than in half an hour.
  assert.ok(memoryBytes <= 1.3, `memory grew by the factor ${memoryBytes}`);
});
