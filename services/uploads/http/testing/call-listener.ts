import { createLogger } from "@stowage/process";
import { CallRecord } from "../../telemetry/call-record.ts";
import type { RequestListener } from "../node-http.ts";
import type { Serve } from "../protocols/connect-protocol.ts";
import { createErrorReporter } from "../report-error.ts";
import { createRequestListener } from "../request-listener.ts";
import type { ServedMethod } from "../serve-method.ts";

/** A listener as the service has it, with generous limits and without telemetry. */
export function callListener({
  methods = [],
  content = () => Promise.reject(new Error("there is no content")),
  onCall = () => {},
}: {
  readonly methods?: readonly ServedMethod[];
  readonly content?: Serve;
  readonly onCall?: (record: CallRecord) => void;
}): RequestListener {
  return createRequestListener({
    methods,
    content,
    health: () => false,
    limits: { timeoutMaxMs: 60_000, sendProgressMs: 60_000 },
    observe(_request, _response, requestId, serve) {
      const record = new CallRecord(requestId);
      onCall(record);
      void serve(record);
    },
    shareWithOrigin: () => false,
    reportError: createErrorReporter(createLogger({ name: "test", level: "silent" })),
  });
}
