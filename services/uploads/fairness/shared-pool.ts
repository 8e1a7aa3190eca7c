/** What callers share by a fair queue: slots, and a pool of database connections. */
import type { AccessToken } from "@stowage/access-token";
import type { Metrics } from "@stowage/process";
import type pg from "pg";
import { createDatabase, type Database } from "../postgres/database.ts";
import { FairQueue } from "./fair-queue.ts";

/** The database for the calls of one caller, who gets a connection when it is the caller's turn. */
export type DatabaseOf = (caller: Pick<AccessToken, "organisationId" | "clientId">) => Database;

/** After that, asking another server is better for the caller. */
const waitMaxMsDefault = 10_000;

/** The limits of each queue. */
export interface SharedLimits {
  readonly waitingMax: number;
  readonly tenantWeights: ReadonlyMap<string, number>;
  /** The longest wait for a slot; then `ApiError` SERVER_BUSY. Default 10,000. */
  readonly waitMaxMs?: number;
}

interface SharedPoolOptions extends SharedLimits {
  /** The name of the pool in the metrics. */
  readonly name: string;
  /** Allows `connectionsFor(slots)` connections, and is used only here. */
  readonly pool: pg.Pool;
  readonly cancelPool: pg.Pool;
  readonly slots: number;
  readonly metrics: Metrics["pools"];
}

/** A quarter more than the slots, for organisations that have no connection. */
function newcomerSlots(slots: number): number {
  return Math.ceil(slots / 4);
}

/** How many connections a pool with these slots needs. */
export function connectionsFor(slots: number): number {
  return slots + newcomerSlots(slots);
}

/** Shares these slots among callers, and newcomer slots in addition. */
export function shareSlots(slots: number, limits: SharedLimits): FairQueue {
  return new FairQueue({
    slots,
    newcomerSlots: newcomerSlots(slots),
    waitingMax: limits.waitingMax,
    weightOf: (tenant) => limits.tenantWeights.get(tenant) ?? 1,
    waitMaxMs: limits.waitMaxMs ?? waitMaxMsDefault,
  });
}

/**
 * A call holds its slot until its connection is back in the pool, so the pool itself never makes a
 * call wait.
 */
export function sharePool(options: SharedPoolOptions): DatabaseOf {
  const { name, pool, slots, metrics } = options;
  const queue = shareSlots(slots, options);
  const database = createDatabase(pool, options.cancelPool);
  metrics.watchState(name, () => ({
    inUse: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: queue.waiting,
    // One organisation alone can use no more: its calls wait when these are in use.
    max: slots,
  }));

  return ({ organisationId, clientId }) => {
    const caller = { tenant: organisationId ?? "", client: clientId };
    const acquireSlot = async (signal: AbortSignal) => {
      const release = queue.tryAcquire(caller);
      if (release !== undefined) {
        metrics.waited(name, 0);
        return release;
      }
      const startMs = performance.now();
      try {
        return await queue.wait(caller, signal);
      } finally {
        metrics.waited(name, (performance.now() - startMs) / 1000);
      }
    };
    return {
      async read({ signal, snapshot }, work) {
        const release = await acquireSlot(signal);
        return database.read({ signal, snapshot, onReturned: release }, work);
      },
    };
  };
}
