import assert from "node:assert/strict";
import { createServer } from "node:http";
import { it } from "node:test";
import { Registry } from "@prometheus-io/client";
import { AccessLines, type Logger } from "@stowage/process";
import { listen } from "@stowage/process/testing";
import { createServiceMetrics } from "../metrics/service-metrics.ts";
import { createRequestHandler } from "./request-handler.ts";

it("an answer that another server breaks off is no fault of the database", async () => {
  const lines: string[] = [];
  const log = (level: string) => (_: object, message: string) => lines.push(`${level}: ${message}`);
  const levels = { debug: log("debug"), warn: log("warn"), error: log("error") };
  const logger = { ...levels, isLevelEnabled: () => false } as unknown as Logger;
  const server = createServer();
  await using listening = await disposable(server);
  const handler = createRequestHandler({
    routes: [
      {
        name: "content",
        path: "/content/",
        methods: ["GET"],
        async handle(_, response) {
          response.writeHead(200).flushHeaders();
          throw Object.assign(new Error("aborted"), { code: "ECONNRESET" });
        },
      },
    ],
    origin: listening.url,
    health: () => false,
    metrics: createServiceMetrics(new Registry(), []),
    accessLines: new AccessLines(logger, "off"),
    logger,
  });
  server.on("request", handler);

  const answer = await fetch(`${listening.url}/content/a`);
  await assert.rejects(answer.text());
  assert.deepEqual(lines, ["debug: an answer was broken off"]);
});

async function disposable(server: ReturnType<typeof createServer>) {
  const { url, close } = await listen(server);
  return { url, [Symbol.asyncDispose]: close };
}
