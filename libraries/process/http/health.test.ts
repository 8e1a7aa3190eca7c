import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { Registry } from "@prometheus-io/client";
import { createHealthHandler, createLogger, type HealthOptions, type Logger } from "../index.ts";

async function serve(test: TestContext, options: Partial<HealthOptions> = {}): Promise<string> {
  const answer = createHealthHandler({
    checks: {},
    signal: new AbortController().signal,
    logger: createLogger({ name: "test", level: "silent" }),
    registry: new Registry(),
    ...options,
  });
  const server = createServer((request, response) => {
    if (!answer(request, response)) response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function get(address: string, init?: RequestInit): Promise<readonly [number, unknown]> {
  const response = await fetch(address, init);
  assert.equal(response.headers.get("cache-control"), "no-store");
  return [response.status, await response.json()];
}

describe("createHealthHandler()", () => {
  it("answers /healthz while the process lives, also when it is not ready", async (test) => {
    const signal = AbortSignal.abort();
    const url = await serve(test, {
      signal,
      checks: { database: () => Promise.reject(new Error("down")) },
    });
    assert.deepEqual(await get(`${url}/healthz?x=1`), [200, { status: "alive" }]);
  });

  it("is ready when all checks pass", async (test) => {
    const url = await serve(test, { checks: { database: async () => "any result" } });
    assert.deepEqual(await get(`${url}/readyz`), [200, { status: "ready" }]);
  });

  it("names and counts the checks that fail or hang, without a reason", async (test) => {
    const registry = new Registry();
    const url = await serve(test, {
      registry,
      checks: {
        database: () => Promise.reject(new Error("secret reason")),
        disk: () => new Promise(() => undefined),
        queue: async () => undefined,
      },
      checkTimeoutMs: 20,
    });
    const answer = [503, { status: "unavailable", failing: ["database", "disk"] }];
    assert.deepEqual(await get(`${url}/readyz`), answer);
    const counted = (await registry.metrics()).split("\n").filter((line) => /^[^#]/.test(line));
    assert.deepEqual(counted, [
      'stowage_readiness_failures_total{check="database"} 1',
      'stowage_readiness_failures_total{check="disk"} 1',
      'stowage_readiness_failures_total{check="queue"} 0',
    ]);
  });

  it("logs a check when it begins to fail, fails otherwise, and passes again", async (test) => {
    const lines: unknown[] = [];
    const logger = { warn: (values: object) => lines.push(values) } as unknown as Logger;
    let failure: Error | undefined;
    const database = async () => {
      if (failure !== undefined) throw failure;
    };
    const url = await serve(test, { logger, checks: { database } });
    for (const reason of ["down", "down", "locked", "locked", undefined, undefined]) {
      failure = reason === undefined ? undefined : new Error(reason);
      await get(`${url}/readyz`);
    }
    assert.deepEqual(lines, [
      { check: "database", reason: "down" },
      { check: "database", reason: "locked" },
      { check: "database" },
    ]);
  });

  it("is not ready while the program stops", async (test) => {
    const url = await serve(test, { signal: AbortSignal.abort() });
    assert.deepEqual(await get(`${url}/readyz`), [503, { status: "stopping" }]);
  });

  it("runs the checks once for requests that arrive together", async (test) => {
    let runs = 0;
    const gate = Promise.withResolvers<void>();
    const database = () => {
      runs += 1;
      return gate.promise;
    };
    const url = await serve(test, { checks: { database } });
    const answers = Array.from({ length: 20 }, () => get(`${url}/readyz`));
    // All have arrived when a later one is answered.
    await get(`${url}/healthz`);
    gate.resolve();
    for (const [status] of await Promise.all(answers)) assert.equal(status, 200);
    assert.ok(runs < 20, `${runs} runs`);
    await get(`${url}/readyz`);
    assert.ok(runs > 1);
  });

  it("accepts only GET and HEAD", async (test) => {
    const url = await serve(test);
    const [status] = await get(`${url}/readyz`, { method: "POST" });
    assert.equal(status, 405);
    assert.equal((await fetch(`${url}/healthz`, { method: "HEAD" })).status, 200);
  });

  it("leaves other paths alone", async (test) => {
    const url = await serve(test);
    assert.equal((await fetch(`${url}/healthz/x`)).status, 404);
  });
});
