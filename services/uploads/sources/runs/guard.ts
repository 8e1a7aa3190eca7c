import { formatCount, formatThings } from "../../model/format.ts";
import { locationText, type Source, type SourceId } from "../source.ts";
import type { Run } from "./run.ts";
import type { Gone } from "./seen.ts";

/** Why a run stops, for people. */
export interface Stop {
  readonly reason: string;
  /** What to do about it, while it is the last run. */
  readonly advice: string;
}

/**
 * Returns why a run must not delete what its listing lacks; undefined if it may. A listing that is
 * empty, or that lacks over half of the source, is more often caused by a fault of the location or
 * of the access to it than by so many deletions. A source that was empty before may be empty again:
 * then there is nothing to delete.
 */
export function guardStop(
  gone: Gone,
  { leftOutExamples, counts, inventory, isDryRun }: Omit<Run, keyof SourceId | "holder">,
  source: Pick<Source, "name" | "location" | "lastCompleteAt">,
): Stop | undefined {
  const listed = counts.objects;
  // Before the run.
  const known = isDryRun ? gone.known : gone.known - counts.new;
  const isAsBefore = listed === 0 && known === 0 && gone.folders === 0;
  if (isAsBefore && source.lastCompleteAt !== undefined) return undefined;
  const location = locationText(source.location);
  const isS3 = source.location.kind === "s3";
  let what = isS3 ? "the bucket, the prefix and the endpoint" : "the directory";
  let command = `stowage sources sync ${source.name} --yes`;
  if (inventory !== null) {
    what = "which keys the configuration of the report includes";
    command += ` --inventory ${shellWord(inventory)}`;
  }
  const confirm = `If it is right, confirm it: ${command}`;
  const [leftOut] = leftOutExamples;
  if (listed === 0 && leftOut !== undefined) {
    const entries = formatThings(counts.leftOut, "entry", "entries");
    const reason =
      `nothing in ${location} can be indexed: ${entries} left out, such as ${leftOut.key}: ` +
      `${leftOut.reason}; nothing was deleted`;
    return { reason, advice: confirm };
  }
  if (listed === 0 && known > 0) {
    const uploads = formatThings(known, "upload");
    const reason = `${location} is empty, but the index has ${uploads} of it; nothing was deleted`;
    return { reason, advice: `Check ${what}. ${confirm}` };
  }
  // An empty directory that was never anything else is plausible; a prefix without keys is not.
  if (listed === 0 && isS3) {
    const advice = `Check ${what}; if it is meant to be empty, confirm it once: ${command}`;
    return { reason: `${location} has no objects`, advice };
  }
  if (gone.uploads * 2 <= known) return undefined;
  const reason =
    `${location} no longer has ${formatThings(gone.uploads, "upload")} of ${formatCount(known)}, ` +
    "over half; nothing was deleted";
  return { reason, advice: `Check ${what}. ${confirm}` };
}

/** The text as one word of a command in a shell. */
function shellWord(text: string): string {
  return /^[\w%+,./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
