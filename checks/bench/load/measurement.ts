/** What one contestant did in one setting, over all rounds. */
import { createHistogram } from "node:perf_hooks";
import type { LoadReport } from "./load-orders.ts";

export class Measurement {
  /** Requests a second, one for each round. */
  readonly rates: number[] = [];
  /** In nanoseconds, of every request. */
  readonly #latencies = createHistogram();

  add({ latenciesMs, tookMs }: LoadReport): void {
    this.rates.push((latenciesMs.length / tookMs) * 1000);
    for (const ms of latenciesMs) this.#latencies.record(Math.max(1, Math.round(ms * 1e6)));
  }

  latencyMs(percentile: number): number {
    return this.#latencies.percentile(percentile) / 1e6;
  }
}
