import cluster from "node:cluster";
import { AggregatorRegistry, Counter, Gauge, Registry } from "@prometheus-io/client";
import type { Logger } from "../logger.ts";
import { isWorker } from "../workers/worker-process.ts";
import { serveMetrics } from "./metrics-server.ts";
import { PoolMetrics } from "./pool-metrics.ts";
import { watchProcess } from "./process-metrics.ts";

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
  watchProcess(registry, isWorker() ? "worker" : "primary");
  AggregatorRegistry.setRegistries(registry);
  // It also answers the primary in a worker.
  const all = new AggregatorRegistry();
  if (isWorker()) return metrics;
  watchWorkers(registry);
  const { contentType } = all;
  const render = () => all.clusterMetrics();
  const { url, close } = await serveMetrics({ host, port, contentType, render, logger });
  logger.info({ url }, "metrics are served");
  return { ...metrics, close };
}

function watchWorkers(registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: "stowage_workers",
    help: "Worker processes that run.",
    registers,
    collect() {
      this.set(Object.keys(cluster.workers ?? {}).length);
    },
  });
  const exits = new Counter({
    name: "stowage_worker_exits_total",
    help: "Worker processes that have ended.",
    registers,
  });
  cluster.on("exit", () => exits.inc());
}
