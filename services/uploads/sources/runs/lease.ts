/**
 * The lease that gives a source to one process at a time. Its holder renews it; when the holder
 * dies, the lease ends soon. The lease keeps two processes from doing the same work. A process
 * that has lost its lease cannot write, because the row of the run names its holder: see `run.ts`.
 */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { formatTime } from "../../model/format.ts";
import { query } from "../../postgres/named-parameters.ts";
import type { SourceId } from "../source.ts";

/** Another process runs the source. */
export class SourceBusyError extends Error {
  override readonly name = "SourceBusyError";
}

/** Another process took the source over, because this one did not renew its lease in time. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

interface Lease {
  /** Names this process to people, and is unique. */
  readonly holder: string;
  /** Aborts when the lease is lost, with a `LeaseLostError`. */
  readonly signal: AbortSignal;
  /** Renews the lease at once, or finds that it is lost. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

export interface LeaseOptions {
  /** How long a lease lasts without being renewed. */
  readonly leaseMs: number;
  /** Whether to wait until the lease of a holder that shows no sign of life has ended. */
  readonly waitsForLease: boolean;
  readonly signal: AbortSignal;
}

/** @throws SourceBusyError that says who runs the source. */
export async function acquireLease(
  pool: pg.Pool,
  source: SourceId & { readonly name: string },
  options: LeaseOptions,
): Promise<Lease> {
  const holder = `process ${process.pid} on ${hostname()} (${randomBytes(3).toString("hex")})`;
  for (let first: HeldLease | undefined; ; ) {
    const held = await tryToAcquire(pool, source, holder, options.leaseMs);
    if (held === undefined) return keepLease(pool, source, holder, options.leaseMs);
    // It has been released since.
    if (held.holder === null) continue;
    // A holder that renews its lease is alive.
    const isAlive = first !== undefined && first.until !== held.until;
    if (!options.waitsForLease || isAlive) throw busy(source.name, held);
    first ??= held;
    await sleep(Math.min(options.leaseMs, pollMs), undefined, { signal: options.signal });
  }
}

const pollMs = 250;

interface HeldLease {
  readonly holder: string | null;
  readonly until: string;
  readonly startedAt: Date | null;
}

function busy(name: string, { holder, startedAt }: HeldLease): SourceBusyError {
  const since = startedAt === null ? "" : ` since ${formatTime(startedAt)}`;
  return new SourceBusyError(
    `Cannot run ${name}: ${holder} has been running it${since}; ` +
      `wait for its end, or stop that process`,
  );
}

async function tryToAcquire(
  pool: pg.Pool,
  source: SourceId,
  holder: string,
  leaseMs: number,
): Promise<HeldLease | undefined> {
  const values = { ...source, holder, leaseMs };
  const taken = await query(
    pool,
    `update uploads.sources
     set lease_holder = :holder,
       lease_until = clock_timestamp() + :leaseMs * interval '1 ms'
     where bucket_id = :bucketId and source_id = :sourceId
       and (lease_until is null or lease_until <= clock_timestamp())`,
    values,
  );
  if (taken.rowCount === 1) return undefined;
  const { rows } = await query<HeldLease>(
    pool,
    `select lease_holder as holder, lease_until::text as until,
       (select max(started_at) from uploads.source_runs r
        where r.bucket_id = s.bucket_id and r.source_id = s.source_id and r.ended_at is null
       ) as "startedAt"
     from uploads.sources s where bucket_id = :bucketId and source_id = :sourceId`,
    values,
  );
  if (rows[0] === undefined) throw new SourceBusyError("Cannot run the source: it was removed");
  return rows[0];
}

const renewalsPerLease = 4;

function keepLease(pool: pg.Pool, source: SourceId, holder: string, leaseMs: number): Lease {
  const lost = new AbortController();
  let renewedAtMs = performance.now();
  const renew = async () => {
    const sentAtMs = performance.now();
    const isHeld = await renewOnce(pool, source, holder, leaseMs).catch(() => undefined);
    if (isHeld) renewedAtMs = sentAtMs;
    const isOver = performance.now() - renewedAtMs >= leaseMs;
    if (isHeld === false || isOver) lost.abort(new LeaseLostError(lostText));
  };
  const timer = setInterval(() => void renew(), leaseMs / renewalsPerLease);
  return {
    holder,
    signal: lost.signal,
    renew,
    async release() {
      clearInterval(timer);
      await query(
        pool,
        `update uploads.sources set lease_holder = null, lease_until = null
         where bucket_id = :bucketId and source_id = :sourceId and lease_holder = :holder`,
        { ...source, holder },
      );
    },
  };
}

const lostText =
  "Cannot continue the run: its lease was not renewed in time; the next run begins anew";

async function renewOnce(
  pool: pg.Pool,
  source: SourceId,
  holder: string,
  leaseMs: number,
): Promise<boolean> {
  const { rowCount } = await query(
    pool,
    `update uploads.sources set lease_until = clock_timestamp() + :leaseMs * interval '1 ms'
     where bucket_id = :bucketId and source_id = :sourceId and lease_holder = :holder`,
    { ...source, holder, leaseMs },
  );
  return rowCount === 1;
}
