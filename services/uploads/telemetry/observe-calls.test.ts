import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { before, describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import { Registry } from "@prometheus-io/client";
import type { Logger } from "@stowage/process";
import { AccessLog } from "./access-log.ts";
import { CallMetrics } from "./call-metrics.ts";
import type { CallRecord } from "./call-record.ts";
import { createCallObserver } from "./observe-calls.ts";
import { type EndedSpan, registerSdk } from "./testing/tracing-sdk.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };

/** Observes one call that `serve` serves, and returns its access line. */
async function observe(
  serve: (record: CallRecord) => Promise<void>,
  { isSent = true, method = "POST" } = {},
): Promise<Record<string, unknown>> {
  const line = Promise.withResolvers<Record<string, unknown>>();
  const own = { isLevelEnabled: () => true, info: line.resolve };
  const logger = { ...own, child: () => own } as unknown as Logger;
  const metrics = new CallMetrics(new Registry());
  const run = createCallObserver(metrics, new AccessLog(logger, "on"));
  const response = new EventEmitter();
  const sent = { writableEnded: isSent, writableFinished: isSent };
  run({ method, headers }, Object.assign(response, sent), "a-request", serve);
  response.emit("close");
  return await line.promise;
}

async function serveList(record: CallRecord): Promise<void> {
  record.operation = "ListUploads";
  record.service = "svc.api.v1.BucketUploadsService";
}

describe("createCallObserver()", () => {
  it("ignores traceparent without an SDK", async () => {
    assert.equal((await observe(serveList)).traceId, undefined);
  });

  it("calls a response CANCELLED that was closed before its end", async () => {
    const line = await observe(serveList, { isSent: false });
    assert.deepEqual([line.code, line.reason], ["canceled", "CANCELLED"]);
  });

  describe("with an SDK", () => {
    let ended: EndedSpan[];
    before(() => {
      ended = registerSdk();
    });

    it("continues the caller's trace with a span, which is active in the call", async () => {
      let activeId: string | undefined;
      const line = await observe(async (record) => {
        await serveList(record);
        await setImmediate();
        activeId = trace.getActiveSpan()?.spanContext().traceId;
      });
      assert.deepEqual([activeId, line.traceId], [traceId, traceId]);
      const span = ended.pop();
      assert.equal(span?.name, "svc.api.v1.BucketUploadsService/ListUploads");
      assert.deepEqual([span?.traceId, span?.parentId], [traceId, "b7ad6b7169203331"]);
      assert.equal(span?.status, undefined);
      assert.deepEqual(span?.attributes, {
        "http.request.method": "POST",
        "rpc.system": "connect_rpc",
        "rpc.service": "svc.api.v1.BucketUploadsService",
        "rpc.method": "ListUploads",
        "stowage.request_id": "a-request",
      });
    });

    it("gives the span the method of the request", async () => {
      await observe(serveList, { method: "HEAD" });
      assert.equal(ended.at(-1)?.attributes["http.request.method"], "HEAD");
    });

    it("marks a span as failed when the service failed, and not when the caller did", async () => {
      await observe(async (record) => record.fail("DATABASE_UNAVAILABLE"));
      assert.equal(ended.at(-1)?.status?.code, SpanStatusCode.ERROR);
      assert.equal(ended.at(-1)?.attributes["error.type"], "DATABASE_UNAVAILABLE");
      await observe(async (record) => record.fail("FIELD_INVALID"));
      assert.equal(ended.at(-1)?.status, undefined);
      assert.equal(ended.at(-1)?.attributes["rpc.response.status_code"], "invalid_argument");
    });
  });
});
