/** Looks for sources that are due, and runs them. */
import { setTimeout as sleep } from "node:timers/promises";
import { errorText, type Logger, OutageLines } from "@stowage/process";
import type pg from "pg";
import { query } from "../../postgres/named-parameters.ts";
import type { RunEnd } from "../runs/end-run.ts";
import { SourceBusyError } from "../runs/lease.ts";
import { type RunOptions, runSource } from "../runs/run-source.ts";
import { withoutNulls } from "../source.ts";
import type { ScheduledSource, SyncMetrics } from "./sync-metrics.ts";

interface ScheduleOptions
  extends Pick<RunOptions, "pool" | "openSource" | "leaseMs" | "deletedDataDays" | "signal"> {
  readonly sourcesAtOnceMax: number;
  readonly metrics: SyncMetrics;
  readonly logger: Logger;
}

/** How often due sources are looked for. */
const pollMs = 1000;

/**
 * Runs sources until the signal aborts. Runs are then interrupted, and give their leases back.
 */
export async function runSchedule(options: ScheduleOptions): Promise<void> {
  const { pool, sourcesAtOnceMax, metrics, logger, signal } = options;
  const running = new Map<string, Promise<void>>();
  const outages = new OutageLines(logger, {
    failing: "cannot look for sources that are due",
    over: "can look for sources that are due again",
  });
  const waits = new OutageLines(logger, {
    failing: "sources wait longer than their interval: raise SOURCES_AT_ONCE_MAX, or the intervals",
    over: "no source waits longer than its interval any more",
  });
  while (!signal.aborted) {
    const polled = sleep(pollMs, true, { signal }).catch(() => true);
    try {
      const sources = await readScheduled(pool);
      metrics.setSources(sources);
      const late = sources.filter(({ isLate }) => isLate).length;
      if (late > 0) waits.failed("late", { sources: late, sourcesAtOnceMax });
      // A run that ends gives its place to the next source at once.
      for (let isPolled = false; !isPolled; ) {
        await startDue(running, options);
        const ends = [...running.values()].map((run) => run.then(() => false));
        const isFull = running.size >= sourcesAtOnceMax;
        isPolled = await Promise.race([polled, ...(isFull ? ends : [])]);
      }
    } catch (error) {
      outages.failed(errorText(error));
    }
    await polled;
  }
  await Promise.all(running.values());
}

async function startDue(
  running: Map<string, Promise<void>>,
  options: ScheduleOptions,
): Promise<void> {
  const free = options.sourcesAtOnceMax - running.size;
  if (free <= 0) return;
  for (const name of await dueSources(options.pool, [...running.keys()], free)) {
    const run = runOne(name, options).finally(() => running.delete(name));
    running.set(name, run);
  }
}

/** The sources that run by themselves. */
async function readScheduled(pool: pg.Pool): Promise<ScheduledSource[]> {
  const { rows } = await pool.query<ScheduledSource>(
    `select outcome, left(doubt, 1) as doubt,
       last_complete_at as "lastCompleteAt", old_at as "oldAt",
       next_run_at + every < clock_timestamp() and last_complete_at is not null
         and (lease_until is null or lease_until <= clock_timestamp()) as "isLate"
     from uploads.sources where every is not null and not is_paused`,
  );
  return rows.map(withoutNulls);
}

/** Those that wait longest come first. */
async function dueSources(pool: pg.Pool, running: string[], limit: number): Promise<string[]> {
  const { rows } = await query<{ name: string }>(
    pool,
    `select name from uploads.sources
     where every is not null and not is_paused and next_run_at <= clock_timestamp()
       and (lease_until is null or lease_until <= clock_timestamp())
       and name <> all (:running::text[])
     order by next_run_at limit :limit`,
    { running, limit },
  );
  return rows.map(({ name }) => name);
}

/** After an error, this process leaves the source to others for this time. */
const errorPauseMs = 5000;

async function runOne(name: string, options: ScheduleOptions): Promise<void> {
  const { metrics, logger, signal } = options;
  const observed = metrics.begin();
  let isFailed = false;
  try {
    const end = await runSource(name, {
      ...options,
      isDryRun: false,
      isConfirmed: false,
      waitsForLease: false,
      onProgress: () => undefined,
      onFailed: () => {
        isFailed = true;
      },
    });
    observed.end(end.outcome, end);
    logEnd(name, end, logger);
  } catch (error) {
    observed.end(isFailed ? "failed" : undefined);
    // Another process was quicker, or this one must end.
    if (signal.aborted || error instanceof SourceBusyError) return;
    const message = isFailed ? "a run failed" : "a run was interrupted";
    logger.warn({ source: name, reason: errorText(error) }, message);
    await sleep(errorPauseMs, undefined, { signal }).catch(() => undefined);
  }
}

function logEnd(
  source: string,
  { outcome, reason, counts, skipIndexError }: RunEnd,
  logger: Logger,
): void {
  if (outcome === "complete") logger.info({ source, ...counts }, "a run is complete");
  else logger.warn({ source, reason, ...counts }, "a run stopped");
  if (skipIndexError === undefined) return;
  logger.warn({ source, reason: skipIndexError }, "searches may be slow: no skip index was made");
}
