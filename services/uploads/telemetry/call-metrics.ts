import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";
import type { CallRecord } from "./call-record.ts";

const callLabels = ["operation", "code", "reason"] as const;

/** The metrics of calls. All labels have few values: none is from a request. */
export class CallMetrics {
  readonly #running: Gauge<"operation">;
  readonly #calls: Counter<(typeof callLabels)[number]>;
  readonly #durations: Histogram<(typeof callLabels)[number]>;
  readonly #bytes: Counter<(typeof callLabels)[number]>;
  readonly #rows: Histogram<"operation">;
  readonly #plans: Counter<"plan" | "result">;
  readonly #truncatedRows: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#running = new Gauge({
      name: "stowage_calls_running",
      help: "Calls that are being served.",
      labelNames: ["operation"],
      registers,
    });
    this.#calls = new Counter({
      name: "stowage_calls_total",
      help: "Calls that have ended.",
      labelNames: callLabels,
      registers,
    });
    this.#durations = new Histogram({
      name: "stowage_call_duration_seconds",
      help: "Time from the headers of a request until its answer was sent.",
      labelNames: callLabels,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    });
    this.#bytes = new Counter({
      name: "stowage_call_answer_bytes_total",
      help: "Bytes of the bodies of answers, as sent.",
      labelNames: callLabels,
      registers,
    });
    this.#rows = new Histogram({
      name: "stowage_call_rows",
      help: "Uploads in a page, or folders and uploads in a tree, of calls that succeeded.",
      labelNames: ["operation"],
      buckets: [0, 1, 10, 50, 100, 1000, 10_000, 100_000, 1_000_000],
      registers,
    });
    this.#plans = new Counter({
      name: "stowage_list_plans_total",
      help: "Plans that read pages: the one that answered, and the truncated ones before it.",
      labelNames: ["plan", "result"],
      registers,
    });
    this.#truncatedRows = new Histogram({
      name: "stowage_list_truncated_rows",
      help:
        "Rows and index entries that the truncated plans of a page read. Those of the plan that " +
        "answered are not known.",
      buckets: [0, 1000, 5000, 20_000, 100_000, 500_000, 2_000_000, 20_000_000],
      registers,
    });
  }

  began({ operation }: CallRecord): void {
    this.#running.inc({ operation });
  }

  ended(record: CallRecord): void {
    const { operation, code, reason, rows, plans } = record;
    const labels = { operation, code, reason };
    this.#running.dec({ operation });
    this.#calls.inc(labels);
    this.#durations.observe(labels, record.durationMs / 1000);
    this.#bytes.inc(labels, record.answerBytes);
    if (rows !== undefined && reason === "OK") this.#rows.observe({ operation }, rows);
    if (plans.length === 0) return;
    let truncatedRows = 0;
    for (const { plan, truncatedAtRows } of plans) {
      const isTruncated = truncatedAtRows !== undefined;
      this.#plans.inc({ plan, result: isTruncated ? "truncated" : "answered" });
      truncatedRows += truncatedAtRows ?? 0;
    }
    this.#truncatedRows.observe(truncatedRows);
  }
}
