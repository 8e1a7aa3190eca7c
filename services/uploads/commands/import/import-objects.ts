/** The one-off imports of what a lister finds: all of it, or nothing. They delete nothing. */
import { printText } from "@stowage/process";
import type pg from "pg";
import { type BucketOptions, findOrMakeBucket } from "../../command-line/bucket-options.ts";
import { type Progress, showWriting } from "../../command-line/progress.ts";
import type { BucketRecord, ImportRecord } from "../../import/records/record.ts";
import { ErrorReport, summaryOf } from "../../import/report.ts";
import { runImport } from "../../import/run-import.ts";
import { formatThings } from "../../model/format.ts";
import { externalPathOf, KeyError, type Mount } from "../../sources/keys.ts";
import { listInParallel } from "../../sources/list-in-parallel.ts";
import type { LeftOut, ListedObject, Lister } from "../../sources/lister.ts";
import { type BucketMount, mapObject, ValueError } from "../../sources/map-object.ts";

interface ImportOptions extends BucketOptions {
  /** As the command line names it. */
  readonly from: string;
  readonly mount: Mount;
  /** Whether the listing has tags, which then replace those of the index. */
  readonly tags: boolean;
  /** How errors name the thing with that key. */
  readonly displayName: (keyText: string) => string;
  /** What the summary says of the listing. */
  readonly remarks: () => readonly string[];
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Imports all objects, and prints a summary. Throws in the end if some could not be imported. */
export async function importObjects(
  client: pg.ClientBase,
  lister: Lister,
  options: ImportOptions,
): Promise<void> {
  const { from, mount, tags, progress, signal } = options;
  const { bucketId, record } = await findOrMakeBucket(client, options);
  const errors = new ErrorReport();
  const parts = new ErrorReport();
  const leaveOut = ({ key, reason, isPart }: LeftOut) =>
    (isPart ? parts : errors).add(`${options.displayName(externalPathOf(key))}: ${reason}`);
  const listing = listInParallel(lister, lister.ranges([]), signal);
  const source = { ...mount, bucketId };
  const records = recordsOf(listing, { record, source, leaveOut, progress });
  const result = await runImport(client, records, {
    uploadColumns: tags ? "of objects with tags" : "of objects",
    mayChangeBuckets: false,
    onWritten: showWriting(progress),
    beforeMerge: () => progress.say("writing to the index"),
  });
  progress.stop();
  const entries = formatThings(errors.count, "entry", "entries");
  const failed = errors.count > 0 ? [`${entries} could not be imported`] : [];
  printText(`${summaryOf(result, [...options.remarks(), ...failed])}\n`);
  printText(`${parts.text()}${errors.text()}`, process.stderr);
  if (errors.count > 0) throw new Error(`Cannot import all of ${from}: ${entries} left out`);
}

async function* recordsOf(
  listing: ReturnType<typeof listInParallel>,
  options: {
    readonly record: BucketRecord | undefined;
    readonly source: BucketMount;
    readonly leaveOut: (entry: LeftOut) => void;
    readonly progress: Progress;
  },
): AsyncGenerator<readonly ImportRecord[]> {
  const { record, source, leaveOut, progress } = options;
  if (record !== undefined) yield [record];
  yield [{ kind: "folder path", bucketId: source.bucketId, path: source.mountPath }];
  let line = 0;
  let files = 0;
  for await (const { objects, leftOut } of listing) {
    for (const entry of leftOut) leaveOut(entry);
    const records = objects.map((object) => recordOrLeaveOut(object, source, ++line, leaveOut));
    const held = records.filter((made) => made !== undefined);
    yield held;
    files += held.filter(({ kind }) => kind === "object").length;
    progress.update(files);
  }
}

function recordOrLeaveOut(
  object: ListedObject,
  source: BucketMount,
  line: number,
  leaveOut: (entry: LeftOut) => void,
): ImportRecord | undefined {
  try {
    return mapObject(object, source, line);
  } catch (error) {
    if (!(error instanceof KeyError || error instanceof ValueError)) throw error;
    leaveOut({ key: object.key, reason: error.message, isUnreadable: false });
    return undefined;
  }
}
