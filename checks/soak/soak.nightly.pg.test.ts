/** Every fault of `npm run soak`, once and for a short time. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seed } from "../conformance/samples/random-bucket.ts";
import { runSoak } from "./run-soak.ts";
import { scenarios } from "./scenarios.ts";
import { canMountDisk } from "./uploads/faults.ts";

const cannotMount = (await canMountDisk()) ? false : "no small file system can be mounted";

describe(`soak (seed ${seed})`, () => {
  for (const [name, scenario] of Object.entries(scenarios)) {
    it(`${name}: ${scenario.summary}`, {
      skip: name === "full-disk" && cannotMount,
    }, async (test) => {
      const problems = await runSoak(scenario, {
        durationMs: 0,
        faultMaxMs: Math.min(scenario.faultMaxMs, 2500),
        // In so short a time, memory grows and shrinks by more than in half an hour.
        growthMax: 1.3,
        judgesTimes: false,
        seed,
        // Other tests run beside this one.
        pace: 0.2,
        signal: test.signal,
        say: (line) => test.diagnostic(line),
      });
      assert.deepEqual(problems, []);
    });
  }
});
