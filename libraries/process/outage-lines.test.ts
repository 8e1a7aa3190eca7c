import assert from "node:assert/strict";
import { it, mock, type TestContext } from "node:test";
import type { Logger } from "./logger.ts";
import { OutageLines } from "./outage-lines.ts";

function start(test: TestContext) {
  mock.timers.enable({ apis: ["setInterval"] });
  test.after(() => mock.timers.reset());
  const lines: unknown[] = [];
  const warn = (entry: object, message: string) => lines.push({ ...entry, message });
  const outages = new OutageLines({ warn } as unknown as Logger, { failing: "bad", over: "good" });
  return { outages, linesSince: () => lines.splice(0) };
}

it("logs that an outage begins, that its reason changes, and that it is over", (test) => {
  const { outages, linesSince } = start(test);
  for (let request = 0; request < 5; request++) outages.failed("refused");
  assert.deepEqual(linesSince(), [{ reason: "refused", count: 1, message: "bad" }]);
  mock.timers.tick(10_000);
  outages.failed("refused");
  mock.timers.tick(10_000);
  assert.deepEqual(linesSince(), [], "the reason is the same");

  outages.failed("read-only", { route: "token", reason: "read-only" });
  mock.timers.tick(10_000);
  assert.deepEqual(linesSince(), [
    { route: "token", reason: "read-only", count: 1, message: "bad" },
  ]);
  outages.failed("read-only");
  mock.timers.tick(20_000);
  assert.deepEqual(linesSince(), [{ count: 6, message: "good" }]);
  mock.timers.tick(60_000);
  assert.deepEqual(linesSince(), []);

  outages.failed("read-only");
  assert.deepEqual(linesSince(), [{ reason: "read-only", count: 1, message: "bad" }]);
});

it("logs a rare reason beside a frequent one, each time that it comes back", (test) => {
  const { outages, linesSince } = start(test);
  outages.failed("busy");
  linesSince();
  for (let time = 0; time < 2; time++) {
    for (const reason of ["busy", "refused", "busy"]) outages.failed(reason);
    mock.timers.tick(10_000);
    assert.deepEqual(linesSince(), [{ reason: "refused", count: 1, message: "bad" }]);
    outages.failed("busy");
    mock.timers.tick(10_000);
    assert.deepEqual(linesSince(), []);
  }
});

it("logs few of many reasons, and counts the failures of all", (test) => {
  const { outages, linesSince } = start(test);
  for (let number = 0; number < 1000; number++) outages.failed(`reason ${number}`);
  mock.timers.tick(10_000);
  assert.equal(linesSince().length, 10);
  mock.timers.tick(10_000);
  assert.deepEqual(linesSince(), [{ count: 990, message: "good" }]);
});
