/** Ten seconds of what `npm run sign-in-faults -- flood` does for two minutes. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { growthBytesMax, mebibytes, runFlood } from "./flood.ts";

it("a flood of sign-ins and pushed requests does not fill the database", async (test) => {
  const { problems, summary, growthBytes } = await runFlood({
    durationMs: 10_000,
    pageSeconds: 60,
    signal: test.signal,
    say: (line) => test.diagnostic(line),
  });
  for (const line of summary) test.diagnostic(line);
  assert.deepEqual(problems, []);
  assert.ok(growthBytes < growthBytesMax, `the database grew by ${mebibytes(growthBytes)}`);
});
