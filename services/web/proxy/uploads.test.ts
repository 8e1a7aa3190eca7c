import assert from "node:assert/strict";
import { createServer } from "node:http";
import { it } from "node:test";
import { Registry } from "@prometheus-io/client";
import { AccessLines, type Logger } from "@stowage/process";
import { listen } from "@stowage/process/testing";
import { createRequestHandler } from "../http/request-handler.ts";
import { createServiceMetrics } from "../metrics/service-metrics.ts";
import type { OpenSession } from "../session/sessions.ts";
import { forwardToUploads } from "./uploads.ts";
import { Upstream } from "./upstream.ts";

const open = { tokens: { accessToken: "a" } } as OpenSession;

it("logs that an outage of the uploads service begins, and that it is over", async (test) => {
  const lines: unknown[] = [];
  const warn = (entry: object, message: string) => lines.push({ ...entry, message });
  const logger = { warn, debug() {}, isLevelEnabled: () => false } as unknown as Logger;
  const server = createServer();
  const { url, close } = await listen(server);
  test.after(close);
  const baseUrl = "http://127.0.0.1:9";
  const forward = forwardToUploads({ baseUrl, upstream: new Upstream(), logger });
  const handle = async () => {
    const { signal } = new AbortController();
    await forward(open, { method: "POST", path: "/", headers: {}, signal });
  };
  const handler = createRequestHandler({
    routes: [{ name: "calls", path: "/calls", methods: ["POST"], handle }],
    origin: url,
    health: () => false,
    metrics: createServiceMetrics(new Registry(), []),
    accessLines: new AccessLines(logger, "off"),
    logger,
  });
  server.on("request", handler);

  test.mock.timers.enable({ apis: ["setInterval"] });
  for (let call = 0; call < 5; call++) {
    assert.equal((await fetch(`${url}/calls`, { method: "POST" })).status, 503);
  }
  const reason = "the uploads service cannot be reached: connect ECONNREFUSED 127.0.0.1:9";
  const begins = { route: "calls", reason, count: 1, message: "cannot answer a request" };
  assert.deepEqual(lines, [begins]);
  test.mock.timers.tick(20_000);
  assert.deepEqual(lines.slice(1), [
    { count: 4, message: "no request has failed in the last 10 s" },
  ]);
});

it("a service that refuses new tokens is unavailable, and the log says why", async (test) => {
  const lines: string[] = [];
  const logger = { error: (message: string) => lines.push(message) } as unknown as Logger;
  const { url, close } = await listen(createServer((_, response) => response.writeHead(401).end()));
  test.after(close);
  const forward = forwardToUploads({ baseUrl: url, upstream: new Upstream(), logger });
  const session = { ...open, renew: async () => ({ accessToken: "b" }) } as unknown as OpenSession;
  const { signal } = new AbortController();
  const request = { method: "POST", path: "/", headers: {}, signal };
  await assert.rejects(forward(session, request), { reason: "UPLOADS_UNAVAILABLE" });
  assert.match(lines.join(), /compare AUTH_URL, AUDIENCE and the clocks/);
});
