import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { connectionBudget } from "./connection-budget.ts";

const limits = { allowed: 97, inUse: 1 };

function settingsFor(cores: number, workers: number) {
  return {
    workers,
    databaseConnectionsMax: 8 * cores,
    longScanConnectionsMax: Math.max(1, Math.floor(cores / 2)),
    treeConnectionsMax: 4,
    rateLimitStore: "memory" as const,
  };
}

describe("the connections of the uploads service", () => {
  for (const cores of [2, 4, 11, 16]) {
    for (const workers of [1, 2, 3]) {
      it(`take at most half of 97 with ${cores} cores and ${workers} workers`, () => {
        const budget = connectionBudget(settingsFor(cores, workers), limits, false);
        assert.ok(budget.connectionsMax <= 48, `${budget.connectionsMax}`);
        assert.ok(budget.lists >= workers);
      });
    }
  }

  for (const cores of [32, 64, 128]) {
    it(`never exceed 97 with ${cores} cores: they fit or the start fails with the numbers`, () => {
      for (const workers of [1, 4, 16, 64]) {
        try {
          const budget = connectionBudget(settingsFor(cores, workers), limits, false);
          assert.ok(budget.connectionsMax <= limits.allowed);
        } catch (error) {
          assert.match(String(error), /need \d+, the server allows 97, and 1 are in use/);
        }
      }
    });
  }

  it("fail at the start when a given number exceeds what the server allows", () => {
    const settings = { ...settingsFor(2, 1), databaseConnectionsMax: 100 };
    assert.throws(
      () => connectionBudget(settings, limits, true),
      /Cannot get enough database connections: need 137, the server allows 97, and 1 are in use/,
    );
  });

  it("fail at the start when other programs use nearly all", () => {
    assert.throws(
      () => connectionBudget(settingsFor(2, 1), { allowed: 97, inUse: 90 }, false),
      /need 14, the server allows 97, and 90 are in use/,
    );
  });
});
