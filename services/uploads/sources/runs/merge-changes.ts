/**
 * The last phase of a run: writes the changes to the index, a bounded number in a transaction.
 * Each transaction also stores how far the run is. Readers see all of it or nothing.
 */
import type pg from "pg";
import { maintainIndexes } from "../../import/merge/maintain-indexes.ts";
import { mergeStaged } from "../../import/merge/merge-staged.ts";
import { fillStagingTables } from "../../import/merge/stage-records.ts";
import { createStagingTables } from "../../import/merge/staging-tables.ts";
import type { FolderPathRecord } from "../../import/records/record.ts";
import { columnList } from "../../postgres/copy-in.ts";
import { query } from "../../postgres/named-parameters.ts";
import type { Source } from "../source.ts";
import { listedColumns } from "./listing-rows.ts";
import { type Run, tablesOf, updateRun } from "./run.ts";

/** Changes in one transaction. */
const changesAtOnceDefault = 5000;

interface MergeRunOptions {
  readonly source: Source;
  /** Default 5000. */
  readonly changesAtOnce: number | undefined;
  readonly signal: AbortSignal;
  /** Called with the number of changes that are in the index. */
  readonly onMerged: (changes: number) => void;
}

/** Returns why the skip index of the bucket could not be rebuilt; the next run tries again. */
export async function mergeChanges(
  client: pg.ClientBase,
  run: Run,
  { source, changesAtOnce = changesAtOnceDefault, signal, onMerged }: MergeRunOptions,
): Promise<unknown> {
  const { changes } = run.counts;
  if (changes > 0) await createStagingTables(client);
  for (let after = 0; after < changes; ) {
    signal.throwIfAborted();
    const until = Math.min(changes, after + changesAtOnce);
    const range = { after, until };
    // Before the buckets are locked: the process may be suspended while it copies rows.
    await fillStagingTables(client, [await foldersIn(client, run, source, range)]);
    await mergeStaged(client, {
      uploadColumns: "of objects with tags",
      mayChangeBuckets: false,
      sourceId: source.sourceId,
      // A later transaction of this run may add uploads to a folder that this one empties.
      keptFolders: `exists (
        select from ${tablesOf(run).folders} l where l.folder_key = f.tree_key)`,
      afterLocks: () => stageChanges(client, run, source, range),
      beforeCommit: () => updateRun(client, run, "merged_until = :until", { until }),
    });
    after = until;
    onMerged(after);
  }
  // Even without a change: the run before may have been interrupted before it did this.
  return await maintainIndexes(client, [source.bucketId], changes);
}

interface ChangeRange {
  readonly after: number;
  readonly until: number;
}

/**
 * The mount folder, and those that the changes list or imply. The import derives their IDs and
 * their folded names.
 */
async function foldersIn(
  client: pg.ClientBase,
  run: Run,
  { bucketId, mountPath }: Source,
  range: ChangeRange,
): Promise<FolderPathRecord[]> {
  const { rows } = await query<{ path: string }>(
    client,
    `select distinct path from ${tablesOf(run).changes}
     where ${inRange} and kind in ('new', 'changed', 'folder')`,
    { ...range },
  );
  const paths = [mountPath, ...rows.map(({ path }) => path)];
  return paths.map((path) => ({ kind: "folder path", bucketId, path }));
}

async function stageChanges(
  client: pg.ClientBase,
  run: Run,
  source: Source,
  range: ChangeRange,
): Promise<void> {
  const { changes } = tablesOf(run);
  for (const stage of [stageUploads, stageDeletions, stageGoneFolders]) {
    await query(client, stage(changes), { ...source, ...range });
  }
}

const inRange = "number > :after and number <= :until";

const stageDeletions = (changes: string) => `
  insert into staged_deletions (bucket_number, upload_id)
  select :bucketNumber, u.upload_id from ${changes} c
  join uploads.uploads u on u.bucket_number = :bucketNumber and u.upload_id = c.upload_id
  where ${inRange} and c.kind = 'gone' and u.source_id = :sourceId`;

const stageGoneFolders = (changes: string) => `
  insert into emptied_folders (bucket_number, path)
  select :bucketNumber, path from ${changes} where ${inRange} and kind = 'gone folder'`;

// Tags that the listing does not have stay as they are.
const listedValue: Readonly<Record<string, string>> = {
  tags: "nullif(coalesce(c.tags, u.tags), '{}')",
  created_at: "coalesce(c.created_at, u.created_at, c.updated_at)",
};

const stageUploads = (changes: string) => `
  insert into staged_uploads (line, bucket_number, ${columnList(listedColumns)})
  select c.number, :bucketNumber,
    ${listedColumns.map((column) => listedValue[column] ?? `c.${column}`).join(", ")}
  from ${changes} c
  -- With "offset 0", the planner cannot read the whole bucket instead of looking up each upload.
  left join lateral (
    select * from uploads.uploads u
    where u.bucket_number = :bucketNumber and u.upload_id = c.upload_id offset 0) u on true
  where ${inRange} and c.kind in ('new', 'changed')`;
