import assert from "node:assert/strict";
import { it, mock } from "node:test";
import type { Logger } from "./logger.ts";
import { OutageLines } from "./outage-lines.ts";

it("logs that an outage begins, that its reason changes, and that it is over", (test) => {
  mock.timers.enable({ apis: ["setInterval"] });
  test.after(() => mock.timers.reset());
  const lines: unknown[] = [];
  const warn = (entry: object, message: string) => lines.push({ ...entry, message });
  const outages = new OutageLines({ warn } as unknown as Logger, { failing: "bad", over: "good" });
  const linesSince = () => lines.splice(0);

  for (let request = 0; request < 5; request++) outages.failed("refused");
  assert.deepEqual(linesSince(), [{ reason: "refused", count: 1, message: "bad" }]);
  mock.timers.tick(10_000);
  for (const reason of ["refused", "starting up", "refused"]) outages.failed(reason);
  mock.timers.tick(10_000);
  assert.deepEqual(linesSince(), [], "the reason is the same");

  outages.failed("read-only", { route: "token", reason: "read-only" });
  mock.timers.tick(10_000);
  assert.deepEqual(linesSince(), [
    { route: "token", reason: "read-only", count: 8, message: "bad" },
  ]);
  outages.failed("read-only");
  mock.timers.tick(20_000);
  assert.deepEqual(linesSince(), [{ count: 1, message: "good" }]);
  mock.timers.tick(60_000);
  assert.deepEqual(linesSince(), []);

  outages.failed("read-only");
  assert.deepEqual(linesSince(), [{ reason: "read-only", count: 1, message: "bad" }]);
});
