import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clampDeadline } from "./deadline.ts";

const timeoutMaxMs = 30_000;

function clamped(headers: Record<string, string>): Record<string, string> {
  const given = new Headers(headers);
  clampDeadline(given, timeoutMaxMs);
  return Object.fromEntries(given);
}

describe("clampDeadline()", () => {
  const connect: [given: string | undefined, clamped: string][] = [
    [undefined, "30000"],
    ["0", "0"],
    ["1500", "1500"],
    ["30001", "30000"],
    ["9999999999", "30000"],
    ["soon", "soon"],
    ["12345678901", "12345678901"],
    ["-1", "-1"],
  ];
  for (const [given, expected] of connect) {
    it(`makes ${given ?? "no Connect-Timeout-Ms"} ${expected}`, () => {
      const headers = given === undefined ? {} : { "connect-timeout-ms": given };
      assert.equal(clamped(headers)["connect-timeout-ms"], expected);
    });
  }

  const grpc: [given: string | undefined, clamped: string][] = [
    [undefined, "30000m"],
    ["5S", "5S"],
    ["1M", "30000m"],
    ["31000000u", "30000m"],
    ["29999999u", "29999999u"],
    ["1H", "30000m"],
    ["5", "5"],
  ];
  for (const [given, expected] of grpc) {
    it(`makes ${given ?? "no grpc-timeout"} ${expected}`, () => {
      const headers = { "content-type": "application/grpc+proto" };
      const result = clamped(given === undefined ? headers : { ...headers, "grpc-timeout": given });
      assert.equal(result["grpc-timeout"], expected);
    });
  }
});
