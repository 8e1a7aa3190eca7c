/** Shares a pool of database connections, or other slots, among callers by a fair queue. */
import type { AccessToken } from "@stowage/access-token";
import type { Metrics } from "@stowage/process";
import type pg from "pg";
import { ApiError } from "../model/api-error.ts";
import { createDatabase, type Database } from "../postgres/database.ts";
import { FairQueue } from "./fair-queue.ts";
import { reservedSlots } from "./slots.ts";

/** The database for the calls of one caller, who gets a connection when it is the caller's turn. */
export type DatabaseForCaller = (
  caller: Pick<AccessToken, "organisationId" | "clientId">,
) => Database;

/** After that, asking another server is better for the caller. */
const waitMaxMsDefault = 10_000;

/** The limits of each queue. */
export interface FairQueueLimits {
  readonly waitingMax: number;
  readonly tenantWeights: ReadonlyMap<string, number>;
  /** The longest wait for a slot; then `ApiError` SERVER_BUSY. Default 10,000. */
  readonly waitMaxMs?: number;
}

interface FairPoolOptions extends FairQueueLimits {
  /** The name of the pool in the metrics. */
  readonly name: string;
  /** Allows `connectionsFor(slots)` connections, and is used only here. */
  readonly pool: pg.Pool;
  readonly cancelPool: pg.Pool;
  readonly slots: number;
  /**
   * A call that has held its connection for longer may lose it to an organisation or a client that
   * holds far fewer: it fails with `ApiError` SERVER_BUSY. Default: no call does.
   */
  readonly revocableAfterMs?: number;
  readonly metrics: Metrics["pools"];
}

/** Shares these slots, and reserved slots in addition. */
export function createFairQueue(
  slots: number,
  limits: FairQueueLimits,
  revocableAfterMs?: number,
): FairQueue {
  return new FairQueue({
    slots,
    reservedSlots: reservedSlots(slots),
    waitingMax: limits.waitingMax,
    weightOf: (tenant) => limits.tenantWeights.get(tenant) ?? 1,
    waitMaxMs: limits.waitMaxMs ?? waitMaxMsDefault,
    revocableAfterMs,
  });
}

/**
 * A call holds its slot until its connection is back in the pool, so the pool itself never makes a
 * call wait.
 */
export function createFairPool(options: FairPoolOptions): DatabaseForCaller {
  const { name, pool, slots, metrics, revocableAfterMs } = options;
  const queue = createFairQueue(slots, options, revocableAfterMs);
  const database = createDatabase(pool, options.cancelPool);
  metrics.watchState(name, () => ({
    inUse: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: queue.waiting,
    // One organisation alone can use no more: its calls wait when these are in use.
    max: slots,
  }));

  return ({ organisationId, clientId }) => ({
    async read({ signal, snapshot }, work) {
      const revoked = revocableAfterMs === undefined ? undefined : new AbortController();
      const revoke = revoked && (() => revoked.abort(slotRevoked()));
      const caller = { tenant: organisationId ?? "", client: clientId, revoke };
      const startMs = performance.now();
      const onReturned = await queue
        .acquire(caller, signal)
        .finally(() => metrics.waited(name, (performance.now() - startMs) / 1000));
      const either = revoked ? AbortSignal.any([signal, revoked.signal]) : signal;
      return database.read({ signal: either, snapshot, onReturned }, work);
    },
  });
}

/** The error of a call whose slot was revoked. */
export function slotRevoked(): ApiError {
  return new ApiError(
    "SERVER_BUSY",
    "the call took long, and others wait; try again, and read faster",
  );
}
