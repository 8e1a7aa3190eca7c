/** Readiness tells whether the service works, whatever its load is. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { until } from "@stowage/process/testing";
import { plainLines } from "./samples/plain.ts";
import { callers } from "./samples/tenants.ts";
import { lockTables } from "./testing/database-activity.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { callJson } from "./testing/json-caller.ts";

const connectionsMax = 3;

describe("readiness", () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({
      lines: plainLines,
      environment: { DATABASE_CONNECTIONS_MAX: String(connectionsMax) },
    });
  });
  after(() => deployment?.close());

  it("does not depend on lists that wait", async () => {
    const tables = await lockTables(deployment.databaseUrl);
    try {
      const headers = { "connect-timeout-ms": "4000" };
      const token = deployment.issuer.mint(callers.reader);
      const lists = Array.from({ length: 2 * connectionsMax }, () =>
        callJson(deployment.url, { headers, token }),
      );
      await until("all connections wait", async () => {
        const waiting = await tables.statementsOfOthers();
        return waiting.length >= connectionsMax;
      });
      for (let probe = 0; probe < 3; probe++) {
        const answer = await fetch(new URL("/readyz", deployment.url));
        assert.equal(answer.status, 200, await answer.text());
      }
      await tables.unlock();
      await Promise.all(lists);
    } finally {
      await tables.unlock();
    }
  });
});
