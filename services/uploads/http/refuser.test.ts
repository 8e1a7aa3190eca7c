import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { TokenRefusedError } from "@stowage/access-token";
import type { Logger } from "@stowage/process";
import { ApiError } from "../model/api-error.ts";
import { createRefuser } from "./refuser.ts";

interface Line {
  level: string;
  entry: Record<string, unknown>;
}

function start() {
  const lines: Line[] = [];
  const log = (level: string) => (entry: Record<string, unknown>) => {
    lines.push({ level, entry });
  };
  const logger = { debug: log("debug"), warn: log("warn"), error: log("error") };
  let nowMs = 0;
  const refuse = createRefuser(logger as unknown as Logger, () => nowMs);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { lines, refuse, pass };
}

function callOf(signal = new AbortController().signal) {
  return { operation: "ListUploads", signal };
}

describe("createRefuser()", () => {
  it("tells the caller nothing of a fault of ours, and the log all", () => {
    const { lines, refuse } = start();
    const fault = new Error("column does not exist");
    const refusal = refuse(fault, callOf());
    assert.deepEqual([refusal.reason, refusal.message], ["INTERNAL", "internal error"]);
    assert.deepEqual([lines[0]?.level, lines[0]?.entry.err], ["error", fault]);
  });

  it("keeps what is wrong with a token for the log", () => {
    const { lines, refuse } = start();
    const refusal = refuse(new TokenRefusedError("KEY_UNKNOWN", "kid is 7"), callOf());
    assert.equal(refusal.reason, "KEY_UNKNOWN");
    assert.doesNotMatch(refusal.message, /kid is 7/);
    assert.deepEqual([lines[0]?.level, lines[0]?.entry.detail], ["debug", "kid is 7"]);
  });

  it("logs an outage once in ten seconds, with how many calls it hit", () => {
    const { lines, refuse, pass } = start();
    const outage = new ApiError("DATABASE_UNAVAILABLE", "out of reach");
    for (let call = 0; call < 5; call++) refuse(outage, callOf());
    pass(10_000);
    refuse(outage, callOf());
    assert.deepEqual(
      lines.map(({ level, entry }) => [level, entry.count]),
      [
        ["warn", 1],
        ["warn", 5],
      ],
    );
  });

  it("uses the real clock unless told otherwise", () => {
    const refuse = createRefuser({ warn: () => {} } as unknown as Logger);
    assert.equal(refuse(new ApiError("SERVER_BUSY", "busy"), callOf()).reason, "SERVER_BUSY");
  });

  it("takes any error after an abort for the abort", () => {
    const { lines, refuse } = start();
    const goneAway = callOf(AbortSignal.abort(new DOMException("closed", "AbortError")));
    assert.equal(refuse(new Error("canceling statement"), goneAway).reason, "CANCELLED");
    const late = callOf(AbortSignal.abort(new ConnectError("late", Code.DeadlineExceeded)));
    assert.equal(refuse(new Error("canceling statement"), late).reason, "DEADLINE_EXCEEDED");
    assert.deepEqual(new Set(lines.map((line) => line.level)), new Set(["debug"]));
  });
});
