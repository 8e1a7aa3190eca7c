/** What must wait for a person at the end of a run: the guard decides about deletions only. */
import type pg from "pg";
import { formatCount, formatThings } from "../../model/format.ts";
import { query } from "../../postgres/named-parameters.ts";
import { locationText, type Source } from "../source.ts";
import type { Proof } from "./prove-gone.ts";
import type { Run } from "./run.ts";
import type { Gone } from "./seen.ts";

/** Why a run is not complete, for people. */
export interface Stop {
  readonly reason: string;
  /** What to do about it, while it is the last run. */
  readonly advice: string;
}

interface Found {
  readonly gone: Gone;
  readonly proof: Proof;
  /** Whether deletions without proof wait. */
  readonly waits: boolean;
  readonly missingMounts: readonly string[];
}

/** Returns why a run is not complete; undefined if it is. */
export function guardStop(
  found: Found,
  run: Pick<Run, "leftOutExamples" | "counts" | "inventory">,
  source: Pick<Source, "name" | "location" | "lastCompleteAt">,
): Stop | undefined {
  const location = locationText(source.location);
  const report = run.inventory === null ? "" : ` --inventory ${shellWord(run.inventory)}`;
  const command = `stowage sources sync ${source.name} --yes${report}`;
  const reasons = [...doubtsOf(found, location)];
  if (reasons.length > 0) {
    const advice = [...adviceOn(found, `If it is right, confirm it: ${command}`)];
    return { reason: reasons.join("; "), advice: advice.join(". ") };
  }
  return run.counts.objects > 0 ? undefined : stopIfEmpty(run, source, { location, command });
}

function stopIfEmpty(
  { leftOutExamples, counts, inventory }: Pick<Run, "leftOutExamples" | "counts" | "inventory">,
  source: Pick<Source, "location" | "lastCompleteAt">,
  { location, command }: { readonly location: string; readonly command: string },
): Stop | undefined {
  const [leftOut] = leftOutExamples;
  if (leftOut !== undefined) {
    const entries = formatThings(counts.leftOut, "entry", "entries");
    const reason =
      `nothing in ${location} can be indexed: ${entries} left out, such as ${leftOut.key}: ` +
      leftOut.reason;
    return { reason, advice: `If it is right, confirm it: ${command}` };
  }
  // An empty directory is plausible from the start; a prefix without keys is not.
  const isS3 = source.location.kind === "s3";
  if (!isS3 || source.lastCompleteAt !== undefined) return undefined;
  const check =
    inventory === null
      ? "the bucket, the prefix and the endpoint"
      : "which keys the configuration of the report includes";
  const advice = `Check ${check}; if it is meant to be empty, confirm it once: ${command}`;
  return { reason: `${location} has no objects`, advice };
}

function* adviceOn({ proof, waits, missingMounts }: Found, confirm: string): Generator<string> {
  if (missingMounts.length > 0) yield "Mount it again";
  if (proof.present > 0) yield "The next run lists them again; a store that goes on so is faulty";
  if (proof.unknown > 0) yield "The next run asks again";
  if (waits || missingMounts.length > 0) yield confirm;
}

function* doubtsOf(
  { gone, proof, waits, missingMounts }: Found,
  location: string,
): Generator<string> {
  const [mount] = missingMounts;
  if (mount !== undefined) yield `nothing is mounted at ${mount} any more; what was there stays`;
  if (proof.present > 0) {
    const uploads = formatThings(proof.present, "upload");
    yield `the listing of ${location} lacks ${uploads} that exist, such as ` +
      `${proof.presentExample}; they stay`;
  }
  if (proof.unknown > 0) {
    const uploads = formatThings(proof.unknown, "upload");
    yield `${location} gave no answer about ${uploads} that it no longer lists; they stay`;
  }
  if (waits) {
    const uploads = formatThings(proof.unlisted, "upload");
    yield `${location} no longer lists ${uploads} of ${formatCount(gone.known)}, and the ` +
      "credentials may not ask for them one by one; they stay";
  }
}

/** A folder with fewer uploads may lose them all without proof. */
const smallFolder = 100;

/**
 * Whether the deletions without proof are too many to be believed: over half of the source or of a
 * folder, or with those of the last day over a quarter of the source.
 */
export async function areTooMany(
  client: pg.ClientBase,
  { bucketId, bucketNumber, sourceId }: Source,
  { known }: Gone,
  { unlisted }: Proof,
): Promise<boolean> {
  if (unlisted === 0) return false;
  if (unlisted * 2 > known) return true;
  const { rows } = await query<{ before: string; folders: string }>(client, countDeletions, {
    ...{ bucketId, bucketNumber, sourceId, smallFolder },
  });
  const { before, folders } = rows[0] ?? { before: "0", folders: "0" };
  return Number(folders) > 0 || (Number(before) > 0 && (Number(before) + unlisted) * 4 > known);
}

const countDeletions = `
  select (
    select coalesce(sum(gone_unproved), 0) from uploads.source_runs
    where bucket_id = :bucketId and source_id = :sourceId and not is_dry_run
      and ended_at > clock_timestamp() - interval '1 day') as before, (
    select count(*) from (
      select u.tree_position, count(*) as gone from gone_uploads g
      join uploads.uploads u on u.bucket_number = :bucketNumber and u.upload_id = g.upload_id
      where not g.is_proved group by 1) f
    cross join lateral (
      select count(*) as known from uploads.uploads k
      where k.bucket_number = :bucketNumber and k.tree_position = f.tree_position) k
    where k.known >= :smallFolder and f.gone * 2 > k.known) as folders`;

/** The text as one word of a command in a shell. */
function shellWord(text: string): string {
  return /^[\w%+,./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
