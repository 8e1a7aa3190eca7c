import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TokenRefusedError } from "@stowage/access-token";
import type { Logger } from "@stowage/process";
import { ApiError } from "../model/api-error.ts";
import { createErrorReporter } from "./report-error.ts";

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
  return { lines, report: createErrorReporter(logger as unknown as Logger) };
}

function callOf(signal = new AbortController().signal) {
  return { operation: "ListUploads", signal };
}

describe("createErrorReporter()", () => {
  it("hides an internal error from the caller and logs it with its cause", () => {
    const { lines, report } = start();
    const internal = new Error("column does not exist");
    const error = report(internal, callOf());
    assert.deepEqual([error.reason, error.message], ["INTERNAL", "internal error"]);
    assert.deepEqual([lines[0]?.level, lines[0]?.entry.err], ["error", internal]);
  });

  it("logs the detail of a refused token, and hides it from the caller", () => {
    const { lines, report } = start();
    const error = report(new TokenRefusedError("KEY_UNKNOWN", "kid is 7"), callOf());
    assert.equal(error.reason, "KEY_UNKNOWN");
    assert.doesNotMatch(error.message, /kid is 7/);
    assert.deepEqual([lines[0]?.level, lines[0]?.entry.detail], ["debug", "kid is 7"]);
  });

  it("does not repeat in the detail of a refused token what its cause says", () => {
    const { lines, report } = start();
    const cause = new Error("fetch failed", { cause: new Error("connect ECONNREFUSED") });
    report(
      new TokenRefusedError("KEY_SET_UNAVAILABLE", "no keys: fetch failed", { cause }),
      callOf(),
    );
    assert.equal(lines[0]?.entry.detail, "no keys: fetch failed: connect ECONNREFUSED");
  });

  it("logs an outage once, however many calls fail", () => {
    const { lines, report } = start();
    const outage = new ApiError("DATABASE_UNAVAILABLE", "out of reach");
    for (let call = 0; call < 5; call++) report(outage, callOf());
    const { reason } = outage;
    const entry = { operation: "ListUploads", reason, detail: "out of reach", count: 1 };
    assert.deepEqual(lines, [{ level: "warn", entry }]);
  });

  it("logs an outage once if only its texts differ, with what has caused it", ({ mock }) => {
    mock.timers.enable({ apis: ["setInterval"] });
    const { lines, report } = start();
    for (let call = 1; call < 5; call++) {
      const lastError = Object.assign(new Error("connection refused"), { code: "ECONNREFUSED" });
      const refusal = ["DENYLIST_UNAVAILABLE", `is ${call} ms behind`] as const;
      report(new TokenRefusedError(...refusal, { cause: lastError }), callOf());
      const cause = Object.assign(new Error(`cannot open /${call}`), { code: "EIO" });
      report(new ApiError("CONTENT_UNAVAILABLE", "try again", { cause }), callOf());
      mock.timers.tick(10_000);
    }
    assert.deepEqual(
      lines.map(({ entry }) => entry.detail),
      ["is 1 ms behind: connection refused", "cannot open /1"],
    );
  });

  it("reports errors after an abort as the abort, but the refusal of a late call as it is", () => {
    const { lines, report } = start();
    const goneAway = callOf(AbortSignal.abort(new ApiError("CANCELLED", "closed")));
    assert.equal(report(new Error("canceling statement"), goneAway).reason, "CANCELLED");
    const outage = new ApiError("DATABASE_UNAVAILABLE", "write ECONNRESET");
    assert.equal(report(outage, goneAway).reason, "CANCELLED");
    const late = callOf(AbortSignal.abort(new ApiError("DEADLINE_EXCEEDED", "late")));
    assert.equal(report(new Error("canceling statement"), late).reason, "DEADLINE_EXCEEDED");
    const refusal = new ApiError("FIELD_INVALID", "path: is not absolute");
    assert.equal(report(refusal, late).reason, "FIELD_INVALID");
    const stopped = callOf(AbortSignal.abort(new ApiError("CONTENT_CHANGED", "it changed")));
    assert.equal(report(new Error("write ECONNRESET"), stopped).reason, "CONTENT_CHANGED");
    assert.deepEqual(new Set(lines.map((line) => line.level)), new Set(["debug"]));
  });
});
