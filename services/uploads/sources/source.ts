/** The rows of sources: what each mirrors, and how its last run ended. */
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
}

export interface DirectoryLocation {
  readonly kind: "directory";
  /** An absolute path. */
  readonly directory: string;
  /** Paths under the directory that are left out. */
  readonly exclude: readonly string[];
}

/** What identifies a source in every statement. */
export interface SourceId {
  readonly bucketId: string;
  readonly sourceId: string;
}

export interface Source extends SourceId {
  /** What rows of folders and uploads have in place of the bucket's ID. */
  readonly bucketNumber: number;
  readonly name: string;
  readonly hostname: string;
  readonly location: Location;
  /** The folder of the bucket that mirrors the location. */
  readonly mountPath: string;
  /** Undefined: it runs only when a person says so. */
  readonly everyMs: number | undefined;
  readonly isPaused: boolean;
  readonly outcome: "complete" | "stopped" | "failed" | undefined;
  readonly message: string;
  readonly failures: number;
  readonly nextRunAt: Date | undefined;
  readonly lastCompleteAt: Date | undefined;
  /** When the last complete run began, or when the report that it read was made. */
  readonly listedAt: Date | undefined;
  /** Evenly spaced keys of the last complete run. */
  readonly knownKeys: readonly string[];
  /** Of a directory: the mount points that its runs have found. */
  readonly knownMounts: readonly string[];
  /** The process that runs the source now. */
  readonly runBy: string | undefined;
  /** What the run that has not ended has listed and written so far. */
  readonly objectsSoFar: number | undefined;
}

/** What a source does now, or how its last run ended. */
export type State = "running" | "paused" | "idle" | "stopped" | "failed";

export function stateOf({
  runBy,
  isPaused,
  outcome,
}: Pick<Source, "runBy" | "isPaused" | "outcome">): State {
  if (runBy !== undefined) return "running";
  if (isPaused) return "paused";
  return outcome === undefined || outcome === "complete" ? "idle" : outcome;
}

/** All sources by name, or the one of that name. */
export async function readSources(database: Queries, name?: string): Promise<Source[]> {
  const { rows } = await query<Source>(
    database,
    `select bucket_id as "bucketId", bucket_number as "bucketNumber", source_id as "sourceId",
       name, hostname, location,
       mount_path as "mountPath", (extract(epoch from every) * 1000)::float8 as "everyMs",
       is_paused as "isPaused", outcome, message, failures, next_run_at as "nextRunAt",
       last_complete_at as "lastCompleteAt", listed_at as "listedAt", known_keys as "knownKeys",
       known_mounts as "knownMounts",
       case when lease_until > clock_timestamp() then lease_holder end as "runBy",
       (select max(r.objects)::float8 from uploads.source_runs r
        where r.bucket_id = sources.bucket_id and r.source_id = sources.source_id
          and r.ended_at is null) as "objectsSoFar"
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

function withoutNulls(row: Source): Source {
  const values = Object.entries(row).map(([name, value]) => [name, value ?? undefined]);
  return Object.fromEntries(values);
}

/** `s3://bucket/prefix/`, or the path of the directory. */
export function locationText(location: Location): string {
  if (location.kind === "directory") return location.directory;
  return `s3://${location.bucket}/${location.prefix}`;
}
