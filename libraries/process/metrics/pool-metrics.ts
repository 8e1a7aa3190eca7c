import { Gauge, Histogram, type Registry } from "@prometheus-io/client";
import type pg from "pg";

/** A set of connections, or of places to use them, at one moment. */
export interface PoolState {
  readonly inUse: number;
  readonly idle: number;
  /** Callers that wait for one. */
  readonly waiting: number;
  readonly max: number;
}

const label = ["pool"] as const;

/** Metrics of connection pools, by the names that the program gives them. */
export class PoolMetrics {
  readonly #pools = new Map<string, () => PoolState>();
  readonly #waits: Histogram<"pool">;

  constructor(registry: Registry) {
    const registers = [registry];
    const pools = this.#pools;
    new Gauge({
      name: "stowage_pool_connections",
      help: "Connections of a pool, in use or idle.",
      labelNames: [...label, "state"],
      registers,
      collect() {
        for (const [pool, read] of pools) {
          const { inUse, idle } = read();
          this.set({ pool, state: "in_use" }, inUse);
          this.set({ pool, state: "idle" }, idle);
        }
      },
    });
    const gauge = (name: string, help: string, of: (state: PoolState) => number) =>
      new Gauge({
        name,
        help,
        labelNames: label,
        registers,
        collect() {
          for (const [pool, read] of pools) this.set({ pool }, of(read()));
        },
      });
    gauge(
      "stowage_pool_connections_max",
      "Maximum number of connections of a pool.",
      ({ max }) => max,
    );
    gauge("stowage_pool_waiting", "Callers that wait for a connection.", (state) => state.waiting);
    this.#waits = new Histogram({
      name: "stowage_pool_wait_seconds",
      help: "Time that callers waited for a connection.",
      labelNames: label,
      buckets: [0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
  }

  /** Reports the state of a pool whenever metrics are read. A name may be given once. */
  watchState(name: string, read: () => PoolState): void {
    if (this.#pools.has(name)) throw new Error(`Cannot watch pool ${name}: it is watched already`);
    this.#pools.set(name, read);
  }

  /** Counts a wait, successful or not. */
  waited(name: string, seconds: number): void {
    this.#waits.observe({ pool: name }, seconds);
  }

  /** Reports a pool of the driver, and measures every wait for one of its connections. */
  watch(name: string, pool: pg.Pool): void {
    this.watchState(name, () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      max: pool.options.max,
    }));
    // The pool has no event for the beginning of a wait. Its own queries call `connect` too.
    const connect = pool.connect.bind(pool);
    const timed = (callback?: Parameters<typeof connect>[0]): unknown => {
      const startMs = performance.now();
      const end = () => this.waited(name, (performance.now() - startMs) / 1000);
      if (callback !== undefined) {
        return connect((...result) => {
          end();
          callback(...result);
        });
      }
      const connecting = connect();
      connecting.then(end, end);
      return connecting;
    };
    pool.connect = timed as typeof connect;
  }
}
