import assert from "node:assert/strict";
import { it } from "node:test";
import { Gauge, Registry } from "@prometheus-io/client";
import type { Logger } from "../logger.ts";
import { answerPrimary } from "./worker-metrics.ts";

it("a worker whose metrics cannot be read logs that, and continues", async () => {
  const registry = new Registry();
  new Gauge({
    name: "memory",
    help: "Memory in use.",
    registers: [registry],
    collect() {
      throw new Error("too many open files");
    },
  });
  const logged = Promise.withResolvers<object>();
  const logger = { error: (values: object) => logged.resolve(values) } as unknown as Logger;
  answerPrimary(registry, logger);
  process.emit("message", { metricsRequest: 1 }, undefined);
  assert.deepEqual(await logged.promise, { reason: "too many open files" });
});
