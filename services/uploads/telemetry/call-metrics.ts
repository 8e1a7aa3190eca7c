import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";
import type { CallRecord } from "./call-record.ts";

const callLabels = ["operation", "code", "reason"] as const;

type CallLabels = Record<(typeof callLabels)[number], string>;

/** What has ended since the counters were last read. */
interface Tally {
  readonly labels: CallLabels;
  calls: number;
  bytes: number;
}

/**
 * The metrics of calls. All labels have few values: none is from a request. Counters are added up
 * here and set when they are read: to increment one takes longer than a microsecond.
 */
export class CallMetrics {
  readonly #running = new Map<string, number>();
  readonly #tallies = new Map<string, Tally>();
  readonly #durations: Histogram<(typeof callLabels)[number]>;
  readonly #rows: Histogram<"operation">;
  readonly #plans: Counter<"plan" | "result">;
  readonly #truncatedRows: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    const running = new Gauge({
      name: "stowage_calls_running",
      help: "Calls that are being served.",
      labelNames: ["operation"],
      registers,
      collect: () => {
        for (const [operation, count] of this.#running) running.set({ operation }, count);
      },
    });
    const calls = new Counter({
      name: "stowage_calls_total",
      help: "Calls that have ended.",
      labelNames: callLabels,
      registers,
      collect: () => {
        for (const tally of this.#tallies.values()) {
          calls.inc(tally.labels, tally.calls);
          tally.calls = 0;
        }
      },
    });
    this.#durations = new Histogram({
      name: "stowage_call_duration_seconds",
      help: "Time from the headers of a request until its answer was sent.",
      labelNames: callLabels,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    });
    const bytes = new Counter({
      name: "stowage_call_answer_bytes_total",
      help: "Bytes of the bodies of answers, as sent.",
      labelNames: callLabels,
      registers,
      collect: () => {
        for (const tally of this.#tallies.values()) {
          bytes.inc(tally.labels, tally.bytes);
          tally.bytes = 0;
        }
      },
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
      help: "Rows and index entries that the truncated plans of a page read, if it had any.",
      buckets: [1000, 5000, 20_000, 100_000, 500_000, 2_000_000, 20_000_000],
      registers,
    });
  }

  began({ operation }: CallRecord): void {
    this.#countRunning(operation, 1);
  }

  ended(record: CallRecord): void {
    const { operation, rows, plans } = record;
    this.#countRunning(operation, -1);
    const tally = this.#tallyOf(record);
    tally.calls += 1;
    tally.bytes += record.answerBytes;
    this.#durations.observe(tally.labels, record.durationMs / 1000);
    if (rows !== undefined && record.reason === "OK") this.#rows.observe({ operation }, rows);
    let truncatedRows = 0;
    for (const { plan, truncatedAtRows } of plans) {
      const isTruncated = truncatedAtRows !== undefined;
      this.#plans.inc({ plan, result: isTruncated ? "truncated" : "answered" });
      truncatedRows += truncatedAtRows ?? 0;
    }
    if (truncatedRows > 0) this.#truncatedRows.observe(truncatedRows);
  }

  #countRunning(operation: string, change: 1 | -1): void {
    this.#running.set(operation, (this.#running.get(operation) ?? 0) + change);
  }

  #tallyOf(record: CallRecord): Tally {
    const { operation, code } = record;
    // Callers choose their timeouts, and alerts must not depend on them.
    const isOwnTimeout = record.reason === "DEADLINE_EXCEEDED" && record.hasOwnTimeout;
    const reason = isOwnTimeout ? "CALLER_TIMEOUT" : record.reason;
    const key = `${operation} ${reason}`;
    let tally = this.#tallies.get(key);
    if (tally === undefined) {
      tally = { labels: { operation, code, reason }, calls: 0, bytes: 0 };
      this.#tallies.set(key, tally);
    }
    return tally;
  }
}
