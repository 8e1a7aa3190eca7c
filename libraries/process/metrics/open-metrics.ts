import { Counter, Gauge, Registry } from "@prometheus-io/client";
import type { Logger } from "../logger.ts";
import { isWorker } from "../workers/worker-process.ts";
import { serveMetrics } from "./metrics-server.ts";
import { PoolMetrics } from "./pool-metrics.ts";
import { watchProcess } from "./process-metrics.ts";
import { answerPrimary, WorkerMetrics } from "./worker-metrics.ts";

export interface MetricsOptions {
  readonly host: string;
  /** Port of `/metrics`; 0 lets the system choose. Undefined: metrics are not served. */
  readonly metricsPort: number | undefined;
  readonly logger: Logger;
}

/** The metrics of one process. */
export interface Metrics {
  /** For metrics of the program itself. Those of all processes are added up by name. */
  readonly registry: Registry;
  readonly pools: PoolMetrics;
  /** Stops serving. */
  close(): Promise<void>;
}

/** A worker whose event loop hangs does not answer, and must not delay the others' metrics. */
const answerTimeoutMs = 1000;

/**
 * Call it once in each process. A primary, or a program without workers, serves `/metrics` on the
 * metrics port: its own and those of its workers. A worker sends its metrics to its primary.
 * Without a port, metrics are collected but not served.
 */
export async function openMetrics(options: MetricsOptions): Promise<Metrics> {
  const { host, metricsPort: port, logger } = options;
  const registry = new Registry();
  const metrics = { registry, pools: new PoolMetrics(registry), close: async () => {} };
  if (port === undefined) return metrics;
  if (isWorker()) {
    watchProcess(registry, "worker");
    answerPrimary(registry, logger);
    return metrics;
  }
  watchProcess(registry, "primary");
  const { contentType } = registry;
  const render = renderer(registry);
  const { url, close } = await serveMetrics({ host, port, contentType, render, logger });
  logger.info({ url }, "metrics are served");
  return { ...metrics, close };
}

/** Makes the text of a primary's metrics and those of its workers. */
function renderer(registry: Registry): () => Promise<string> {
  const workers = new WorkerMetrics({ answerTimeoutMs });
  const states = new Gauge({
    name: "stowage_workers",
    help: "Worker processes, by whether they answered when metrics were read.",
    labelNames: ["state"],
    registers: [registry],
  });
  new Counter({
    name: "stowage_worker_exits_total",
    help: "Worker processes that have ended.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(workers.exits);
    },
  });
  return async () => {
    const { snapshots, answering, silent } = await workers.collect();
    states.set({ state: "answering" }, answering);
    states.set({ state: "silent" }, silent);
    const own = await registry.getMetricsAsJSON();
    return Registry.aggregate([own, ...snapshots]).metrics();
  };
}
