import { readdir } from "node:fs/promises";
import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";

/** A program without workers is a `primary`, too. */
type ProcessRole = "primary" | "worker";

const role = ["process"] as const;

/**
 * Metrics of this process: processor time, memory, files and event loop delay. The library's own
 * set has averages and percentiles, whose sums over workers mean nothing; these can be added up.
 */
export function watchProcess(registry: Registry, process: ProcessRole): void {
  watchUsage(registry, { process });
  watchEventLoop(registry, { process });
}

type RoleLabel = Readonly<Record<(typeof role)[number], ProcessRole>>;

function watchUsage(registry: Registry, labels: RoleLabel): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      labelNames: role,
      registers,
      async collect() {
        this.set(labels, await read());
      },
    });
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time used, in seconds.",
    labelNames: role,
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc(labels, (user + system) / 1e6);
    },
  });
  gauge("process_resident_memory_bytes", "Memory in use.", () => process.memoryUsage.rss());
  gauge("process_open_fds", "Open file descriptors.", countOpenFiles);
  gauge(
    "nodejs_heap_size_used_bytes",
    "Memory of JavaScript objects.",
    () => process.memoryUsage().heapUsed,
  );
  gauge(
    "nodejs_external_memory_bytes",
    "Memory outside the heap, such as buffers.",
    () => process.memoryUsage().external,
  );
  gauge(
    "nodejs_active_resources",
    "Sockets, timers and other handles that keep the process running.",
    () => process.getActiveResourcesInfo().length,
  );
}

async function countOpenFiles(): Promise<number> {
  return (await readdir("/proc/self/fd").catch(() => [])).length;
}

const tickMs = 50;

function watchEventLoop(registry: Registry, labels: RoleLabel): void {
  const delays = new Histogram({
    name: "stowage_event_loop_delay_seconds",
    help: `Lateness of a timer that runs every ${tickMs} ms.`,
    labelNames: role,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  let lastMs = performance.now();
  const tick = () => {
    const nowMs = performance.now();
    delays.observe(labels, Math.max(0, nowMs - lastMs - tickMs) / 1000);
    lastMs = nowMs;
  };
  setInterval(tick, tickMs).unref();
}
