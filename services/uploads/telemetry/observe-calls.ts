/** Follows each call from its headers to its end, and reports it once: metrics, line and trace. */
import type { AccessLog } from "./access-log.ts";
import type { CallMetrics } from "./call-metrics.ts";
import { CallRecord } from "./call-record.ts";
import { CallTraces, type ObservedRequest } from "./call-traces.ts";

interface ObservedResponse {
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  once(event: "close", listener: () => void): unknown;
}

/** Runs `serve` as a call. `serve` fills the record until it settles. */
export type ObserveCall = (
  request: ObservedRequest,
  response: ObservedResponse,
  requestId: string,
  serve: (record: CallRecord) => Promise<void>,
) => void;

/** A call ends when it has been served and its response is closed. */
export function createCallObserver(metrics: CallMetrics, accessLog: AccessLog): ObserveCall {
  const traces = new CallTraces();
  return (request, response, requestId, serve) => {
    const record = new CallRecord(requestId);
    let unfinished = 2;
    const endPart = () => {
      unfinished -= 1;
      if (unfinished > 0) return;
      // On HTTP/2, a stream that the caller resets counts as finished, but was not ended here.
      if (!response.writableEnded || !response.writableFinished) record.fail("CANCELLED");
      metrics.ended(record);
      accessLog.write(record, span?.spanContext().traceId);
      if (span !== undefined) traces.end(span, record);
    };
    response.once("close", () => {
      record.stop();
      endPart();
    });
    const span = traces.run(request, () => {
      void serve(record).finally(endPart);
    });
    metrics.began(record);
  };
}
