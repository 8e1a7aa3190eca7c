/**
 * The row of a run: what it has done so far. Its `holder` is a fencing token: a process that takes
 * the source over stores its own. Each transaction of a run ends with `updateRun`,
 * which fails if the row has another holder, or the run has ended. So a process
 * that was suspended, and has lost the source to another one, writes nothing.
 */
import { randomUUID } from "node:crypto";
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { type NamedValues, query } from "../../postgres/named-parameters.ts";
import type { SourceId } from "../source.ts";
import { LeaseLostError } from "./lease.ts";

export type Phase = "list" | "prove" | "delete";
export type Outcome = "complete" | "stopped" | "failed";

export interface Run extends SourceId {
  readonly runId: string;
  readonly holder: string;
  readonly startedAt: Date;
  readonly isDryRun: boolean;
  /** The address of the report that the run reads. */
  readonly inventory: string | null;
  readonly counts: RunCounts;
  readonly leftOutExamples: readonly LeftOutExample[];
}

interface LeftOutExample {
  readonly key: string;
  readonly reason: string;
  readonly isUnreadable?: true;
}

export interface RunCounts {
  /** Listed objects and their bytes. */
  readonly objects: number;
  readonly sizeBytes: number;
  readonly leftOut: number;
  /** Of these, those that could not be read. */
  readonly unreadable: number;
  readonly new: number;
  readonly changed: number;
  readonly gone: number;
  readonly unchanged: number;
}

const runColumns = `bucket_id as "bucketId", source_id as "sourceId", run_id as "runId", holder,
  started_at as "startedAt", is_dry_run as "isDryRun", inventory,
  left_out_examples as "leftOutExamples",
  json_build_object('objects', objects, 'sizeBytes', size_bytes, 'leftOut', left_out,
    'unreadable', unreadable, 'new', new,
    'changed', changed, 'gone', gone, 'unchanged', unchanged) as counts`;

/** Runs of a source that are kept. */
const keptRuns = 100;

interface OpenRunOptions {
  readonly holder: string;
  readonly isDryRun: boolean;
  /** The address of the report that the run reads. */
  readonly inventory?: string | undefined;
}

/** Begins a run. Needs the lease. One that was interrupted ends here: what it has merged stays. */
export async function openRun(
  client: pg.ClientBase,
  source: SourceId,
  options: OpenRunOptions,
): Promise<Run> {
  return await inTransaction(client, async () => {
    await endInterrupted(client, source);
    await dropOldest(client, source);
    return await beginRun(client, source, options);
  });
}

async function endInterrupted(
  client: pg.ClientBase,
  { bucketId, sourceId }: SourceId,
): Promise<void> {
  await query(
    client,
    `update uploads.source_runs set ended_at = clock_timestamp(), outcome = 'failed',
       reason = 'it was interrupted'
     where bucket_id = :bucketId and source_id = :sourceId and ended_at is null`,
    { bucketId, sourceId },
  );
}

async function dropOldest(client: pg.ClientBase, { bucketId, sourceId }: SourceId): Promise<void> {
  await query(
    client,
    `delete from uploads.source_runs
     where bucket_id = :bucketId and source_id = :sourceId and ended_at <= (
       select ended_at from uploads.source_runs
       where bucket_id = :bucketId and source_id = :sourceId
       order by ended_at desc offset ${keptRuns - 1} limit 1)`,
    { bucketId, sourceId },
  );
}

async function beginRun(
  client: pg.ClientBase,
  { bucketId, sourceId }: SourceId,
  { holder, isDryRun, inventory }: OpenRunOptions,
): Promise<Run> {
  const { rows } = await query<Run>(
    client,
    `insert into uploads.source_runs
       (bucket_id, source_id, run_id, holder, is_dry_run, inventory)
     values (:bucketId, :sourceId, :runId, :holder, :isDryRun, :inventory)
     returning ${runColumns}`,
    {
      ...{ bucketId, sourceId, holder, isDryRun },
      runId: randomUUID(),
      inventory: inventory ?? null,
    },
  );
  return rows[0] as Run;
}

/**
 * Updates columns of the run. Call it last in a transaction. Throws `LeaseLostError`.
 *
 * @param set assignments in SQL, with the names of the values as parameters.
 */
export async function updateRun(
  client: pg.ClientBase,
  { bucketId, sourceId, runId, holder }: Run,
  set: string,
  values: NamedValues = {},
): Promise<void> {
  const { rowCount } = await query(
    client,
    `update uploads.source_runs set ${set}
     where bucket_id = :bucketId and source_id = :sourceId and run_id = :runId
       and holder = :holder and ended_at is null`,
    { ...values, bucketId, sourceId, runId, holder },
  );
  if (rowCount === 1) return;
  throw new LeaseLostError("Cannot continue the run: another process has taken it over");
}

/** Takes runs that have not ended from the process that holds them, which can no longer write. */
export async function takeOverRuns(
  client: pg.ClientBase,
  { bucketId, sourceId }: SourceId,
  holder: string,
): Promise<void> {
  await query(
    client,
    `update uploads.source_runs set holder = :holder
     where bucket_id = :bucketId and source_id = :sourceId and ended_at is null`,
    { bucketId, sourceId, holder },
  );
}

/** The run as it is stored now, but with the holder of `run`: it may have been replaced. */
export async function readRun(client: pg.ClientBase, run: Run): Promise<Run> {
  const { rows } = await query<Run>(
    client,
    `select ${runColumns} from uploads.source_runs
     where bucket_id = :bucketId and source_id = :sourceId and run_id = :runId`,
    { ...run },
  );
  return { ...(rows[0] ?? run), holder: run.holder };
}
