import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, beforeEach, it } from "node:test";
import { AccessLines, createLogger, type Logger, openMetrics } from "@stowage/process";
import { until } from "@stowage/process/testing";
import { createServiceMetrics } from "../metrics/service-metrics.ts";
import { createRequestHandler } from "./request-handler.ts";

const lines: { level: string; message: string }[] = [];
let provider: () => Promise<void>;
const server = createServer();
let port: number;

before(async () => {
  const silent = createLogger({ name: "test", level: "silent" });
  const at = (level: string) => (_: object, message: string) => lines.push({ level, message });
  const logger: Logger = Object.assign(Object.create(silent), {
    info: at("info"),
    error: at("error"),
  });
  const { registry } = await openMetrics({ host: "127.0.0.1", metricsPort: undefined, logger });
  const handler = createRequestHandler({
    authUrl: "http://auth.example",
    callerAddress: () => "127.0.0.1",
    addressRate: { consume: async () => 0, refund: async () => {} },
    health: () => false,
    provider: () => provider(),
    metrics: createServiceMetrics(registry),
    accessLines: new AccessLines(logger, "off"),
    logger,
  });
  server.on("request", handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});
after(() => server.close());
beforeEach(() => lines.splice(0));

it("a fault of the service is an error in the log, and an answer", async () => {
  provider = () => Promise.reject(new TypeError("cannot read a member of undefined"));
  const response = await fetch(`http://127.0.0.1:${port}/token`, { method: "POST", body: "a=1" });
  assert.equal(response.status, 500);
  assert.equal(((await response.json()) as { error: string }).error, "server_error");
  assert.deepEqual(lines, [{ level: "error", message: "cannot answer a request" }]);
});

it("a request that its caller breaks off is no fault", async () => {
  const socket = connect(port, "127.0.0.1");
  socket.write("POST /token HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\na=1");
  await once(server, "request");
  socket.destroy();
  await until("the line is written", async () => lines.length > 0);
  assert.deepEqual(lines, [{ level: "info", message: "a request did not arrive whole" }]);
});
