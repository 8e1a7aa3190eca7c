/** Some seconds of what `npm run sign-in-faults -- network` does for minutes. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { runNetworkFaults } from "./network-faults.ts";

it("no grant is lost while the network to the database fails at random", async (test) => {
  const { problems, summary } = await runNetworkFaults({
    durationMs: 15_000,
    faultMaxMs: 2500,
    pauseMs: 500,
    signal: test.signal,
    say: (line) => test.diagnostic(line),
  });
  for (const line of summary) test.diagnostic(line);
  assert.deepEqual(problems, []);
});
