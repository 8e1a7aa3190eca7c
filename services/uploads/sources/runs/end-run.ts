/** How a run ends, and what that means for the next one. */
import { errorText, inTransaction } from "@stowage/process";
import type pg from "pg";
import { formatThings } from "../../model/format.ts";
import { query } from "../../postgres/named-parameters.ts";
import type { Source } from "../source.ts";
import type { Stop } from "./guard.ts";
import { LeaseLostError } from "./lease.ts";
import type { Drift } from "./look-again.ts";
import { type Outcome, type Run, type RunCounts, updateRun } from "./run.ts";

export interface RunEnd {
  readonly outcome: Outcome;
  /** Why the run stopped, and what to do; empty if it is complete. */
  readonly reason: string;
  readonly counts: RunCounts;
  readonly startedAt: Date;
  readonly isDryRun: boolean;
  /** What looking again showed. */
  readonly drift?: Drift;
  /** The first few keys that were left out. */
  readonly leftOutExamples: Run["leftOutExamples"];
  /** Why the skip index of the bucket could not be rebuilt; the next run tries again. */
  readonly skipIndexError?: string;
}

interface Ending {
  readonly drift?: Drift;
  readonly stop: Stop | undefined;
  /** Deletions that wait for a person. */
  readonly waitingDeletions: number;
  /** When the report that the run read was made. */
  readonly madeAt: Date | undefined;
}

/**
 * Ends the run, as complete unless the guard stopped it. Call it in a transaction. The advice is
 * stored only in the row of the source: it does not hold for a past run.
 */
export async function endRun(
  client: pg.ClientBase,
  run: Run,
  source: Source,
  { stop, waitingDeletions, drift, madeAt }: Ending,
): Promise<RunEnd> {
  const outcome = stop === undefined ? "complete" : "stopped";
  const message = stop === undefined ? "" : `${stop.reason}. ${stop.advice}`;
  if (!run.isDryRun) {
    const { bucketId, sourceId, location } = source;
    const doubt = stop === undefined ? unreadableDoubt(run) : message;
    const values = { bucketId, sourceId, location, doubt };
    if (stop !== undefined) {
      await query(client, setFailed(stopped), { ...values, waitingDeletions });
    } else {
      const { objects } = run.counts;
      await query(client, setComplete, { ...values, objects, madeAt: madeAt ?? null });
    }
  }
  const set = "ended_at = clock_timestamp(), outcome = :outcome, reason = :reason";
  await updateRun(client, run, set, { outcome, reason: stop?.reason ?? "" });
  const { counts, startedAt, isDryRun, leftOutExamples } = run;
  const end = { outcome, reason: message, counts, startedAt, isDryRun, leftOutExamples } as const;
  return drift === undefined ? end : { ...end, drift };
}

function unreadableDoubt({ counts: { unreadable }, leftOutExamples }: Run): string {
  if (unreadable === 0) return "";
  const example = leftOutExamples.find(({ isUnreadable }) => isUnreadable);
  const such = example === undefined ? "" : `, such as ${example.key}: ${example.reason}`;
  const what = formatThings(unreadable, "file or folder", "files or folders");
  return `${what} could not be read${such}. What the index has of them stays`;
}

/**
 * Records why a run could not go on, and ends it. Returns whether that is recorded. Throws
 * `LeaseLostError` if another process has the source. That is then the cause of any other error.
 */
export async function failRun(
  client: pg.ClientBase,
  run: Run,
  source: Source,
  error: unknown,
): Promise<boolean> {
  await inTransaction(client, async () => {
    const reason = errorText(error);
    const end = "ended_at = clock_timestamp(), outcome = 'failed', reason = :reason";
    await updateRun(client, run, end, { reason });
  }).catch((failure) => {
    // Any other failure says less than the first error.
    if (failure instanceof LeaseLostError) throw failure;
  });
  return await recordSourceFailure(client, source, run, error);
}

/**
 * Records in the row of the source why a run failed, also if the row of the run cannot be opened or
 * written. Otherwise the source would stay due, and be run before all others again and again.
 * Returns whether it is recorded.
 */
export async function recordSourceFailure(
  client: pg.ClientBase,
  { bucketId, sourceId, location }: Source,
  { holder, isDryRun }: Pick<Run, "holder" | "isDryRun">,
  error: unknown,
): Promise<boolean> {
  if (isDryRun) return false;
  const values = { bucketId, sourceId, location, holder, message: errorText(error) };
  const update = `${setFailed(failed)} and s.lease_holder = :holder`;
  // If the database failed, the first error says more.
  const result = await query(client, update, values).catch(() => undefined);
  return result?.rowCount === 1;
}

/** A source that was changed meanwhile is due: the run did not use the new options. */
function nextRunAt(otherwise: string): string {
  return `case when s.every is null then null
    when s.location <> :location then clock_timestamp() else ${otherwise} end`;
}

// The pause after a run is at least five times its duration, capped at 20 s: a directory that takes
// seconds to list would otherwise keep a processor busy.
const afterComplete = `greatest(r.started_at + s.every, clock_timestamp()
  + least((clock_timestamp() - r.started_at) * 5, interval '20 s'))`;

// A run that takes longer than the interval is not old before the third one should have ended. The
// minute is for pauses between runs.
const oldAt = `case when s.every is not null then r.started_at + interval '1 minute'
  + 3 * greatest(s.every, clock_timestamp() - r.started_at) end`;

const setComplete = `
  update uploads.sources s set outcome = 'complete', message = '', doubt = :doubt,
    waiting_deletions = 0, failures = 0,
    last_complete_at =
      case when :doubt = '' then coalesce(:madeAt, r.started_at) else s.last_complete_at end,
    old_at = case when :doubt = '' then ${oldAt} else s.old_at end,
    last_objects = :objects, listed_at = coalesce(:madeAt, r.started_at),
    next_run_at = ${nextRunAt(afterComplete)}
  from uploads.source_runs r
  where s.bucket_id = :bucketId and s.source_id = :sourceId and r.bucket_id = :bucketId
    and r.source_id = :sourceId and r.ended_at is null and not r.is_dry_run`;

// Each failure in a row doubles the time to the next run, up to an hour. Twelve doublings of a
// second are over an hour; many more doublings of a year would overflow the interval.
const afterFailure = `clock_timestamp()
  + least(s.every * 2 ^ least(s.failures, 12), greatest(s.every, interval '1 hour'))`;

const failed = "outcome = 'failed', message = :message";
const stopped = `outcome = 'stopped', message = '', doubt = :doubt,
    waiting_deletions = :waitingDeletions`;

const setFailed = (set: string) => `
  update uploads.sources s set ${set}, failures = failures + 1,
    next_run_at = ${nextRunAt(afterFailure)}
  where s.bucket_id = :bucketId and s.source_id = :sourceId`;
