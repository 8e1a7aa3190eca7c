import assert from "node:assert/strict";
import { createServer } from "node:http";
import { it } from "node:test";
import { Registry } from "@prometheus-io/client";
import { AccessLines, type Logger } from "@stowage/process";
import { listen } from "@stowage/process/testing";
import { createServiceMetrics } from "../metrics/service-metrics.ts";
import { WebError } from "../model/web-error.ts";
import type { Handle } from "./answer.ts";
import { createRequestHandler } from "./request-handler.ts";

it("an answer that another server breaks off is no fault of the database", async () => {
  await using service = await serve(async (_, response) => {
    response.writeHead(200).flushHeaders();
    throw Object.assign(new Error("aborted"), { code: "ECONNRESET" });
  });
  const answer = await fetch(service.url);
  await assert.rejects(answer.text());
  assert.deepEqual(service.lines, [["debug", "an answer was broken off", undefined]]);
});

it("an outage of another server is logged once, with its cause", async () => {
  const cause = new Error("connect ECONNREFUSED");
  await using service = await serve(async () => {
    throw new WebError("UPLOADS_UNAVAILABLE", "the uploads service cannot be reached", { cause });
  });
  for (let call = 0; call < 3; call++) {
    const answer = await fetch(service.url);
    assert.equal(answer.status, 503);
    assert.doesNotMatch(await answer.text(), /ECONNREFUSED/);
  }
  const reason = "the uploads service cannot be reached: connect ECONNREFUSED";
  assert.deepEqual(service.lines, [["warn", "cannot answer a request", reason]]);
});

/** Serves one address, and collects what is logged. */
async function serve(handle: Handle) {
  const lines: [level: string, message: string, reason: string | undefined][] = [];
  const log = (level: string) => (entry: { reason?: string }, message: string) => {
    lines.push([level, message, level === "warn" ? entry.reason : undefined]);
  };
  const levels = { debug: log("debug"), warn: log("warn"), error: log("error") };
  const logger = { ...levels, isLevelEnabled: () => false } as unknown as Logger;
  const server = createServer();
  const { url, close } = await listen(server);
  const handler = createRequestHandler({
    routes: [{ name: "content", path: "/content/", methods: ["GET"], handle }],
    origin: url,
    health: () => false,
    metrics: createServiceMetrics(new Registry(), []),
    accessLines: new AccessLines(logger, "off"),
    logger,
  });
  server.on("request", handler);
  return { url: `${url}/content/a`, lines, [Symbol.asyncDispose]: close };
}
