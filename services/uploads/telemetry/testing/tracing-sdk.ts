/** What an OpenTelemetry SDK registers, as far as a test needs it. */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  type SpanStatus,
  trace,
} from "@opentelemetry/api";

export interface EndedSpan {
  name: string;
  traceId: string;
  parentId: string | undefined;
  attributes: Attributes;
  status: SpanStatus | undefined;
}

/** Registers it for this process. Returns the spans that end from then on. */
export function registerSdk(): EndedSpan[] {
  const ended: EndedSpan[] = [];
  let count = 0;
  const startSpan = (name: string, options: SpanOptions = {}, parent = ROOT_CONTEXT): Span => {
    const parentContext = trace.getSpanContext(parent);
    const spanId = `${++count}`.padStart(16, "0");
    const traceId = parentContext?.traceId ?? spanId.padStart(32, "f");
    const span: EndedSpan = {
      name,
      traceId,
      parentId: parentContext?.spanId,
      attributes: { ...options.attributes },
      status: undefined,
    };
    const self = {
      spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
      updateName: (updated: string) => {
        span.name = updated;
      },
      setAttributes: (attributes: Attributes) => Object.assign(span.attributes, attributes),
      setStatus: (status: SpanStatus) => {
        span.status = status;
      },
      end: () => ended.push(span),
    };
    return self as unknown as Span;
  };
  const startActiveSpan = () => {
    throw new Error("not used");
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan }) });
  context.setGlobalContextManager(new Contexts());
  propagation.setGlobalPropagator({
    fields: () => ["traceparent"],
    inject() {},
    extract(parent, carrier, getter) {
      const [, traceId, spanId] = String(getter.get(carrier, "traceparent")).split("-");
      if (traceId === undefined || spanId === undefined) return parent;
      return trace.setSpanContext(parent, { traceId, spanId, traceFlags: 1, isRemote: true });
    },
  });
  return ended;
}

class Contexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active = () => this.#storage.getStore() ?? ROOT_CONTEXT;
  with: ContextManager["with"] = (of, work, self, ...inputs) =>
    this.#storage.run(of, () => work.call(self, ...inputs));
  bind: ContextManager["bind"] = (_of, target) => target;
  enable = () => this;
  disable = () => this;
}
