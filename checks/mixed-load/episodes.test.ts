import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CallLog } from "./call-log.ts";
import { problemsIn } from "./episodes.ts";
import { databaseFaults } from "./faults.ts";

const outage = { fault: databaseFaults.killed, startedMs: 100_000, endedMs: 102_000 };

function problemsOf(kind: string, startedMs: number, outcome: string): readonly string[] {
  const log = new CallLog();
  log.add({ kind, startedMs, endedMs: startedMs + 10, outcome });
  return problemsIn(log, [outage]);
}

describe("problemsIn()", () => {
  it("reports wrong answers, even during a fault", () => {
    assert.match(
      problemsOf("list", 101_000, "wrong: a row is missing")[0] ?? "",
      /a row is missing/,
    );
  });

  it("allows the errors of a fault while it lasts and while the service recovers", () => {
    assert.deepEqual(problemsOf("list", 101_000, "DATABASE_UNAVAILABLE"), []);
    assert.deepEqual(problemsOf("list", 103_000, "DATABASE_UNAVAILABLE"), []);
  });

  it("reports them before the fault and long after it", () => {
    assert.equal(problemsOf("list", 50_000, "DATABASE_UNAVAILABLE").length, 1);
    assert.equal(problemsOf("list", 150_000, "DATABASE_UNAVAILABLE").length, 1);
  });

  it("reports errors that the fault does not explain", () => {
    assert.equal(problemsOf("list", 101_000, "TOKEN_REVOKED").length, 1);
    assert.equal(problemsOf("list", 101_000, "DEADLINE_EXCEEDED").length, 1);
  });

  it("allows only streams to be broken off by an outage of the database", () => {
    assert.equal(problemsOf("list", 101_000, "broken: socket hang up").length, 1);
    assert.deepEqual(problemsOf("tree", 101_000, "broken: aborted"), []);
  });
});

describe("the time of recovery", () => {
  it("ends with the start of the last failing call, or is 0", () => {
    const log = new CallLog();
    log.add({ kind: "list", startedMs: 102_500, endedMs: 103_000, outcome: "SERVER_BUSY" });
    log.add({ kind: "list", startedMs: 104_000, endedMs: 104_010, outcome: "right" });
    assert.equal(log.recoveryMs(outage.endedMs), 500);
    assert.equal(log.recoveryMs(103_500), 0);
  });
});
