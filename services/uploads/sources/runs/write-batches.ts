/**
 * The first phase of a run: lists the source, several ranges at the same time, and writes what is
 * new and changed, batch by batch. Readers see each batch when it is written.
 */
import type pg from "pg";
import { compareStaged, mergeStaged } from "../../import/merge/merge-staged.ts";
import { fillStagingTables } from "../../import/merge/stage-records.ts";
import { createStagingTables } from "../../import/merge/staging-tables.ts";
import { findGhosts } from "../ghosts.ts";
import { externalPathOf } from "../keys.ts";
import { listInParallel } from "../list-in-parallel.ts";
import type { LeftOut } from "../lister.ts";
import type { OpenedSource } from "../open-source.ts";
import type { Source } from "../source.ts";
import { ListedBatch } from "./listed-batch.ts";
import { type Run, updateRun } from "./run.ts";
import { addAdded, addSeen, createSeenTables } from "./seen.ts";

interface WriteOptions {
  readonly source: Source;
  readonly opened: OpenedSource;
  /** From this many objects on, a batch waits to be written before more is listed. */
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** Called with what was written since the last call. */
  readonly onListed: (objects: number, sizeBytes: number) => void;
}

/** Lists every range to its end. The first error ends all ranges. */
export async function writeBatches(
  client: pg.ClientBase,
  run: Run,
  { source, opened, batchSize, onListed, ...options }: WriteOptions,
): Promise<void> {
  // A crash of the server ends the run, so commits need not wait for the disk.
  await client.query("set synchronous_commit = off");
  await createStagingTables(client);
  await createSeenTables(client);
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  const ghosts = await findGhosts(client, source, opened, signal);
  const newBatch = () => new ListedBatch({ ...opened.mount, bucketId: source.bucketId }, ghosts);
  let batch = newBatch();
  let isWriting = false;
  let written = Promise.resolve();
  const write = async () => {
    await written;
    signal.throwIfAborted();
    if (batch.isEmpty) return;
    const { objects, sizeBytes } = batch;
    isWriting = true;
    written = writeBatch(client, run, { source, opened, batch }).then(() => {
      isWriting = false;
      onListed(objects, sizeBytes);
    });
    // Otherwise the error would show only after the next page, which may take minutes.
    written.catch((error) => failure.abort(error));
    batch = newBatch();
  };
  try {
    const ranges = opened.lister.ranges(source.knownKeys);
    for await (const page of listInParallel(opened.lister, ranges, signal)) {
      batch.add(page);
      // While a batch is written, the next one is listed. The first is a single page, so it shows
      // at once.
      if (!isWriting || batch.records.length >= batchSize) await write();
    }
    signal.throwIfAborted();
    await write();
  } finally {
    // If this fails, that is why the listing ended.
    await written;
  }
  await client.query("reset synchronous_commit");
}

interface WrittenBatch extends Pick<WriteOptions, "source" | "opened"> {
  readonly batch: ListedBatch;
}

async function writeBatch(
  client: pg.ClientBase,
  run: Run,
  { source, opened, batch }: WrittenBatch,
): Promise<void> {
  const { bucketId, sourceId, mountPath, location } = source;
  await addSeen(client, batch);
  const mountFolder = { kind: "folder path", bucketId, path: mountPath } as const;
  // Before the bucket is locked: the process may be suspended while it copies rows.
  await fillStagingTables(client, [[mountFolder, ...batch.records]]);
  const hasTags = location.kind === "s3" && location.tags === true;
  const options = {
    uploadColumns: hasTags ? "of objects with tags" : "of objects",
    mayChangeBuckets: false,
    sourceId,
    madeAt: opened.madeAt,
  } as const;
  const count = (uploads: { readonly new: number; readonly changed: number }) =>
    updateRun(client, run, addCounts, {
      ...{ objects: batch.objects, sizeBytes: batch.sizeBytes },
      ...{ new: uploads.new, changed: uploads.changed },
      leftOut: batch.leftOut.length,
      unreadable: batch.leftOut.filter(({ isUnreadable }) => isUnreadable).length,
      examples: JSON.stringify(batch.leftOut.slice(0, examplesMax).map(exampleOf)),
    });
  if (run.isDryRun) await compareStaged(client, options, count);
  else {
    await mergeStaged(client, {
      ...options,
      // In a first index, nothing can have moved.
      ...(source.lastCompleteAt && { onCompared: () => addAdded(client) }),
      beforeCommit: ({ uploads }) => count(uploads),
    });
  }
}

const examplesMax = 20;

const addCounts = `objects = objects + :objects, size_bytes = size_bytes + :sizeBytes,
  new = new + :new, changed = changed + :changed,
  unchanged = unchanged + :objects - :new - :changed, left_out = left_out + :leftOut,
  unreadable = unreadable + :unreadable,
  left_out_examples = case when jsonb_array_length(left_out_examples) < ${examplesMax}
    then left_out_examples || :examples::jsonb else left_out_examples end`;

function exampleOf({ key, reason, isUnreadable }: LeftOut) {
  return { key: externalPathOf(key), reason, ...(isUnreadable && { isUnreadable }) };
}
