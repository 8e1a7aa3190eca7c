import type { IncomingHttpHeaders } from "node:http";
import {
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { CallRecord } from "./call-record.ts";

/** The part of a request that is observed. */
export interface ObservedRequest {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/**
 * One server span for each call, which continues the caller's trace. An OpenTelemetry SDK must be
 * loaded before the service, with `node --import`. Without one there are no spans and no cost.
 */
export class CallTraces {
  readonly #tracer: Tracer | undefined;

  constructor() {
    const tracer = trace.getTracer("@stowage/uploads");
    // Without an SDK, the spans are empty. This one is never sent, since it does not end.
    const isLoaded = isSpanContextValid(tracer.startSpan("probe").spanContext());
    this.#tracer = isLoaded ? tracer : undefined;
  }

  /** Runs `serve` in a new span, so that the spans of its statements become children. */
  run({ method, headers }: ObservedRequest, serve: () => void): Span | undefined {
    if (this.#tracer === undefined) {
      serve();
      return undefined;
    }
    const parent = propagation.extract(ROOT_CONTEXT, headers);
    const options = { kind: SpanKind.SERVER, attributes: { "http.request.method": method } };
    const span = this.#tracer.startSpan("call", options, parent);
    context.with(trace.setSpan(parent, span), serve);
    return span;
  }

  /** Ends the span with the result of the call. */
  end(span: Span, record: CallRecord): void {
    const { operation, service, protocol, code, reason, requestId } = record;
    span.updateName(service === undefined ? operation : `${service}/${operation}`);
    span.setAttributes({
      "rpc.system": protocol,
      "rpc.method": operation,
      ...(service !== undefined && { "rpc.service": service }),
      "stowage.request_id": requestId,
    });
    if (reason !== "OK")
      span.setAttributes({ "error.type": reason, "rpc.response.status_code": code });
    // By OpenTelemetry's conventions, errors of callers are not errors of a server span.
    if (record.isFault) span.setStatus({ code: SpanStatusCode.ERROR, message: reason });
    span.end();
  }
}
