/** The last phase of a run: deletes what is gone, a bounded number of uploads in a transaction. */
import type pg from "pg";
import { mergeStaged } from "../../import/merge/merge-staged.ts";
import { fillStagingTables } from "../../import/merge/stage-records.ts";
import { query } from "../../postgres/named-parameters.ts";
import type { Source } from "../source.ts";
import type { Gone } from "./seen.ts";

interface DeleteOptions {
  readonly source: Source;
  readonly gone: Pick<Gone, "uploads" | "folders">;
  /** In SQL: which folders `f` stay though they became empty. */
  readonly keptFolders: string;
  /** Ends each transaction: throws if another process has the source. */
  readonly requireHeld: () => Promise<void>;
  /** Uploads that are deleted in one transaction. */
  readonly batchSize: number;
  readonly signal: AbortSignal;
  /** Called with the number of uploads that are deleted. */
  readonly onDeleted: (uploads: number) => void;
}

export async function deleteGone(
  client: pg.ClientBase,
  { source, gone, keptFolders, batchSize, requireHeld, signal, onDeleted }: DeleteOptions,
): Promise<void> {
  const { bucketId, bucketNumber, sourceId, mountPath } = source;
  const mountFolder = { kind: "folder path", bucketId, path: mountPath } as const;
  const stages = [];
  for (let after = 0; after < gone.uploads; after += batchSize) {
    stages.push({ stage: stageUploads, after, until: after + batchSize });
  }
  if (gone.folders > 0) stages.push({ stage: stageFolders, after: 0, until: 0 });
  for (const { stage, after, until } of stages) {
    signal.throwIfAborted();
    await fillStagingTables(client, [[mountFolder]]);
    await mergeStaged(client, {
      uploadColumns: "of objects",
      mayChangeBuckets: false,
      sourceId,
      keepsDeleted: true,
      keptFolders,
      afterLocks: () => query(client, stage, { bucketNumber, sourceId, after, until }),
      beforeCommit: requireHeld,
    });
    onDeleted(Math.min(until, gone.uploads));
  }
}

// An import may have taken an upload from the source meanwhile.
const stageUploads = `
  insert into staged_deletions (bucket_number, upload_id)
  select u.bucket_number, u.upload_id from gone_uploads g
  join uploads.uploads u on u.bucket_number = :bucketNumber and u.upload_id = g.upload_id
  where g.number > :after and g.number <= :until and u.source_id = :sourceId`;

const stageFolders = `
  insert into emptied_folders (bucket_number, path)
  select :bucketNumber::integer, path from gone_folders`;
