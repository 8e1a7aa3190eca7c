/** The rows of sources: what each mirrors, and how its last run ended. */

import type { Completed } from "../model/completeness.ts";
import { type Queries, query } from "../postgres/named-parameters.ts";
import type { StoreLocation } from "./s3/store-location.ts";

/** Where the objects of a source are. It names credentials at most; it never contains them. */
export type Location = S3Location | DirectoryLocation;

export interface S3Location extends StoreLocation {
  readonly kind: "s3";
  /** Empty, or ends with `/`. */
  readonly prefix: string;
  /** Whether tags and version IDs are read. */
  readonly tags?: boolean | undefined;
  readonly versions?: boolean | undefined;
  /** Where browsers reach the store, if not at the `endpoint`. */
  readonly publicEndpoint?: string | undefined;
  /** How content gets to callers: by a link to the store, the default, or through the service. */
  readonly content?: "link" | "stream" | undefined;
}

export interface DirectoryLocation {
  readonly kind: "directory";
  /** An absolute path. */
  readonly directory: string;
  /** Paths under the directory that are left out. */
  readonly exclude: readonly string[];
  /** Whether `serve sync` watches it for changes. */
  readonly watch?: boolean | undefined;
}

/** What identifies a source in every statement. */
export interface SourceId {
  readonly bucketId: string;
  readonly sourceId: string;
}

/** What a source does, how its last run ended, and what that left. */
export interface SourceState extends Completed {
  readonly isPaused: boolean;
  readonly outcome: "complete" | "stopped" | "failed" | undefined;
  /** Why the last run failed; may be empty. */
  readonly message: string;
  /** Why its directory cannot be watched, or its queue not be read; may be empty. */
  readonly hintFailure: string;
  /** The process that runs the source now. */
  readonly runBy: string | undefined;
  /** What the run that has not ended has listed and written so far. */
  readonly objectsSoFar: number | undefined;
  /** What the last complete run listed. */
  readonly lastObjects: number | undefined;
  /** Uploads that may be gone, and that wait for a person. */
  readonly waitingDeletions: number;
  /** Objects that were looked at again in the last 30 days, and how many of them differed. */
  readonly lookedAgain: number;
  readonly differed: number;
}

export interface Source extends SourceId, SourceState {
  /** What rows of folders and uploads have in place of the bucket's ID. */
  readonly bucketNumber: number;
  readonly name: string;
  readonly hostname: string;
  readonly location: Location;
  /** The folder of the bucket that mirrors the location. */
  readonly mountPath: string;
  /** Undefined: it runs only when a person says so. */
  readonly everyMs: number | undefined;
  readonly failures: number;
  readonly nextRunAt: Date | undefined;
  /** When the last complete run began, or when the report that it read was made. */
  readonly listedAt: Date | undefined;
  /** Evenly spaced keys of the last complete run. */
  readonly knownKeys: readonly string[];
  /** Of a directory: the mount points that its runs have found. */
  readonly knownMounts: readonly string[];
}

/** What a source does now, or how its last run ended. */
export type State = "running" | "paused" | "idle" | "stopped" | "failed";

export function stateOf(source: SourceState): State {
  const { runBy, isPaused, outcome } = source;
  if (runBy !== undefined) return "running";
  if (isPaused) return "paused";
  if (wasInterrupted(source)) return "failed";
  return outcome === undefined || outcome === "complete" ? "idle" : outcome;
}

/** A run that has not ended, and that no process has, was killed or told to end. */
function wasInterrupted({ runBy, objectsSoFar }: SourceState): boolean {
  return runBy === undefined && objectsSoFar !== undefined;
}

/** What a person should know or do; may be empty. */
export function messageOf(source: SourceState): string {
  const interrupted = wasInterrupted(source)
    ? "The last run was interrupted. The next one begins anew"
    : "";
  const { message, doubt, hintFailure } = source;
  return [interrupted, message, doubt, hintFailure].filter((text) => text !== "").join(". ");
}

/** How much the run under way has listed, from 0 to 1; undefined while the size is unknown. */
export function progressOf({ runBy, objectsSoFar, lastObjects }: SourceState): number | undefined {
  if (runBy === undefined || objectsSoFar === undefined || !lastObjects) return undefined;
  return Math.min(1, objectsSoFar / lastObjects);
}

function driftSum(place: number): string {
  return `(select coalesce(sum((value ->> ${place})::float8), 0) from jsonb_each(sources.drift))`;
}

/** The columns of a `SourceState`, of `uploads.sources`. */
export const stateColumns = `is_paused as "isPaused", outcome, message, doubt,
  hint_failure as "hintFailure",
  last_complete_at as "lastCompleteAt", old_at as "oldAt", last_objects::float8 as "lastObjects",
  waiting_deletions::float8 as "waitingDeletions",
  ${driftSum(0)} as "lookedAgain", ${driftSum(1)} as differed,
  case when lease_until > clock_timestamp() then lease_holder end as "runBy",
  (select max(r.objects)::float8 from uploads.source_runs r
   where r.bucket_id = sources.bucket_id and r.source_id = sources.source_id
     and r.ended_at is null) as "objectsSoFar"`;

/** All sources by name, or the one of that name. */
export async function readSources(database: Queries, name?: string): Promise<Source[]> {
  const { rows } = await query<Source>(
    database,
    `select bucket_id as "bucketId", bucket_number as "bucketNumber", source_id as "sourceId",
       name, hostname, location,
       mount_path as "mountPath", (extract(epoch from every) * 1000)::float8 as "everyMs",
       failures, next_run_at as "nextRunAt", listed_at as "listedAt", known_keys as "knownKeys",
       known_mounts as "knownMounts", ${stateColumns}
     from uploads.sources join uploads.buckets using (bucket_id)
     where name = :name or :name is null order by name`,
    { name: name ?? null },
  );
  return rows.map(withoutNulls);
}

/** @throws Error that names the sources there are. */
export async function findSource(database: Queries, name: string): Promise<Source> {
  const [source] = await readSources(database, name);
  if (source !== undefined) return source;
  const known = (await readSources(database)).slice(0, namedMax).map((each) => each.name);
  const advice =
    known.length === 0
      ? "there is none; add one with `stowage sources add`"
      : `need one of those that \`stowage sources list\` shows, such as ${known.join(", ")}`;
  throw new Error(`Cannot find the source ${name}: ${advice}`);
}

const namedMax = 5;

/** The row with undefined in place of null. */
export function withoutNulls<Row extends object>(row: Row): Row {
  const values = Object.entries(row).map(([name, value]) => [name, value ?? undefined]);
  return Object.fromEntries(values) as Row;
}

/** `s3://bucket/prefix/`, or the path of the directory. */
export function locationText(location: Location): string {
  if (location.kind === "directory") return location.directory;
  return `s3://${location.bucket}/${location.prefix}`;
}
