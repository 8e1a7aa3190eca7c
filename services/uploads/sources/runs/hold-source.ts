/** One process at a time has a source: it holds the lease, and no earlier one can still write. */
import type pg from "pg";
import { query } from "../../postgres/named-parameters.ts";
import { onOneConnection } from "../../postgres/one-connection.ts";
import { findSource, type Source, type SourceId } from "../source.ts";
import { acquireLease, LeaseLostError, type LeaseOptions } from "./lease.ts";

/** A source that this process holds. */
export interface HeldSource {
  /** It is closed when the signal aborts. */
  readonly client: pg.ClientBase;
  readonly source: Source;
  /** Names this process, and is unique. */
  readonly holder: string;
  /** Aborts with that of the options, and when the lease is lost. */
  readonly signal: AbortSignal;
}

/**
 * Runs `work` while this process holds the source. Throws `SourceBusyError` if another process has
 * it, and `LeaseLostError` if another process took it over.
 *
 * @param pool with at least two connections: one works, the other renews the lease.
 */
export async function holdSource<Result>(
  pool: pg.Pool,
  name: string,
  options: LeaseOptions,
  work: (held: HeldSource) => Promise<Result>,
): Promise<Result> {
  const lease = await acquireLease(pool, await findSource(pool, name), options);
  const { holder } = lease;
  try {
    const signal = AbortSignal.any([options.signal, lease.signal]);
    return await onOneConnection(pool, signal, async (client) =>
      work({ client, source: await findSource(client, name), holder, signal }),
    );
  } catch (error) {
    // The process that took the source over may have ended the connection.
    await lease.renew();
    lease.signal.throwIfAborted();
    throw error;
  } finally {
    await lease.release().catch(() => undefined);
  }
}

/**
 * Fences a transaction that writes no row of a run. Call it last. Until the commit, no other
 * process can take the source. Throws `LeaseLostError` if one has it.
 */
export async function requireLease(
  client: pg.ClientBase,
  { source: { bucketId, sourceId }, holder }: Pick<HeldSource, "source" | "holder">,
): Promise<void> {
  const { rowCount } = await query(
    client,
    `select from uploads.sources where bucket_id = :bucketId and source_id = :sourceId
       and lease_holder = :holder for no key update`,
    { bucketId, sourceId, holder },
  );
  if (rowCount === 1) return;
  throw new LeaseLostError("Cannot write: another process has taken the source over");
}

/**
 * Ends the connection of the process that had the source before, if there still is one. While a
 * process is suspended in the middle of a statement, the server waits for the rest of it, and keeps
 * its locks, without a limit.
 *
 * Each run and each removal holds an advisory lock until its connection ends. So no connection of
 * anything else is ended, which a stored process ID might belong to by now.
 *
 * @throws Error if the connection does not end.
 */
export async function endEarlierHolder(
  client: pg.ClientBase,
  { sourceId }: SourceId,
): Promise<void> {
  let pids: readonly number[] = [];
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const { rows } = await query<{ isHeld: boolean }>(client, tryToHold, { sourceId });
    if (rows[0]?.isHeld) return;
    const ended = await query<{ pid: number }>(client, endHolder, { sourceId });
    pids = ended.rows.map(({ pid }) => pid);
  }
  throw new Error(
    "Cannot run the source: PostgreSQL cannot end the connection of the process that had it " +
      `before (process ID ${pids.join(", ")} in pg_stat_activity)`,
  );
}

const lockKey = "hashtextextended('stowage source ' || :sourceId, 0)";

const tryToHold = `select pg_try_advisory_lock(${lockKey}) as "isHeld"`;

/** In each attempt, the server waits at most this long for the end of the connection. */
const endMaxMs = 1000;
const attemptsMax = 60;

const endHolder = `
  select pid, pg_terminate_backend(pid, ${endMaxMs}) from pg_locks
  where locktype = 'advisory' and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and classid::bigint << 32 | objid::bigint = ${lockKey}`;
