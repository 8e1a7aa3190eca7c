/**
 * Some seconds of what `npm run sign-in-faults -- strangers` does for minutes, at lower rates. Only
 * the command compares times: other tests run beside this one.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { runStrangers } from "./strangers.ts";

it("strangers who guess clients stop nobody from signing in or getting tokens", async (test) => {
  const { problems, summary } = await runStrangers({
    rounds: 1,
    turnMs: 3000,
    rates: { strangers: 30, signIns: 1, tokens: 10 },
    signal: test.signal,
    say: (line) => test.diagnostic(line),
  });
  for (const line of summary) test.diagnostic(line);
  assert.deepEqual(problems, []);
});
