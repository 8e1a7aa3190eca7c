/**
 * A small run: reads the objects at some keys that may have changed, and asks for those that are
 * not there. What it cannot read or prove stays for the next run of the source, whose times, counts
 * and state it does not touch.
 */
import type pg from "pg";
import { maintainIndexes } from "../../import/merge/maintain-indexes.ts";
import { mergeStaged } from "../../import/merge/merge-staged.ts";
import { fillStagingTables } from "../../import/merge/stage-records.ts";
import { createStagingTables } from "../../import/merge/staging-tables.ts";
import { deterministicUploadId } from "../../model/deterministic-ids.ts";
import { isInSubtree, treeKey } from "../../model/tree-key.ts";
import { query } from "../../postgres/named-parameters.ts";
import { type Key, KeyError, type Mount, pathOfKey } from "../keys.ts";
import type { OpenedSource } from "../open-source.ts";
import type { Source } from "../source.ts";
import { deleteGone } from "./delete-gone.ts";
import { endEarlierHolder, type HeldSource, holdSource, requireLease } from "./hold-source.ts";
import { ListedBatch } from "./listed-batch.ts";
import { findMoves, moveOwnData } from "./moves.ts";
import { keepUnproved, proveGone } from "./prove-gone.ts";
import { takeOverRuns } from "./run.ts";
import type { RunOptions } from "./run-source.ts";
import { addAdded, createSeenTables } from "./seen.ts";

type HintOptions = Pick<RunOptions, "pool" | "openSource" | "leaseMs" | "signal">;

/** What a small run wrote. */
export interface SmallRunEnd {
  readonly new: number;
  readonly changed: number;
  readonly gone: number;
}

/**
 * Throws `SourceBusyError` if another process or a run has the source. Does nothing if the source
 * is paused.
 */
export async function runHints(
  name: string,
  keys: readonly Key[],
  options: HintOptions,
): Promise<SmallRunEnd> {
  return await holdSource(options.pool, name, { ...options, waitsForLease: false }, (held) =>
    held.source.isPaused ? Promise.resolve(nothing) : runHeld(held, keys, options),
  );
}

const nothing: SmallRunEnd = { new: 0, changed: 0, gone: 0 };

async function runHeld(
  held: HeldSource,
  keys: readonly Key[],
  options: HintOptions,
): Promise<SmallRunEnd> {
  const { client, source, holder, signal } = held;
  await endEarlierHolder(client, source);
  await takeOverRuns(client, source, holder);
  const opened = await options.openSource(source);
  try {
    await createStagingTables(client);
    await createSeenTables(client);
    // The next run asks for ghosts; until then, one that is hinted at counts as listed.
    const batch = new ListedBatch({ ...opened.mount, bucketId: source.bucketId }, new Set());
    batch.add(await opened.lister.read(keys, signal));
    const written = batch.isEmpty ? nothing : await write(held, batch);
    const gone = await deleteAbsent(held, { keys, batch, opened });
    const rows = written.new + written.changed + gone;
    if (rows > 0) await maintainIndexes(client, [source.bucketId], rows);
    return { ...written, gone };
  } finally {
    opened.lister.close?.();
  }
}

async function write(held: HeldSource, { records }: ListedBatch): Promise<SmallRunEnd> {
  const { client, source } = held;
  const hasTags = source.location.kind === "s3" && source.location.tags === true;
  await fillStagingTables(client, [[mountFolderOf(source), ...records]]);
  const { uploads } = await mergeStaged(client, {
    uploadColumns: hasTags ? "of objects with tags" : "of objects",
    mayChangeBuckets: false,
    sourceId: source.sourceId,
    onCompared: () => addAdded(client),
    beforeCommit: () => requireLease(client, held),
  });
  return { new: uploads.new, changed: uploads.changed, gone: 0 };
}

function mountFolderOf({ bucketId, mountPath }: Source) {
  return { kind: "folder path", bucketId, path: mountPath } as const;
}

interface Read {
  readonly keys: readonly Key[];
  readonly batch: ListedBatch;
  readonly opened: OpenedSource;
}

/** Returns how many uploads it deleted: those that the place, when it is asked, does not have. */
async function deleteAbsent(held: HeldSource, { keys, batch, opened }: Read): Promise<number> {
  const { client, source, signal } = held;
  const uploads = await findKnown(client, source, { keys, batch, opened });
  if (uploads === 0) return 0;
  const gone = { known: uploads, uploads, folders: 0 };
  await proveGone(client, source, { gone, opened, signal, onAsked: () => undefined });
  await findMoves(client, source);
  await keepUnproved(client);
  const requireHeld = () => requireLease(client, held);
  await moveOwnData(client, source, requireHeld);
  // Whether an empty folder still exists is for the next run.
  const deleting = { source, gone, keptFolders: "true", batchSize: gone.uploads, requireHeld };
  await deleteGone(client, { ...deleting, signal, onDeleted: () => undefined });
  return await countGone(client);
}

/**
 * Fills `gone_uploads` with what the index has of the keys that were not read. A directory that is
 * gone, or that another one has replaced (its key ends with `/`), took with it all under it.
 */
async function findKnown(
  client: pg.ClientBase,
  { bucketId, bucketNumber, sourceId, location }: Source,
  { keys, batch, opened }: Read,
): Promise<number> {
  const read = new Set([...batch.uploadIds, ...batch.folders]);
  const ids: string[] = [];
  const folders: string[] = [];
  const isDirectory = location.kind === "directory";
  for (const { path, filename } of pathsOf(keys, opened.mount, isDirectory)) {
    if (filename === undefined) folders.push(treeKey(path));
    else {
      const id = deterministicUploadId(bucketId, path, filename);
      if (!read.has(id)) ids.push(id);
      const folder = path === "/" ? `/${filename}` : `${path}/${filename}`;
      if (isDirectory && !read.has(folder)) folders.push(treeKey(folder));
    }
  }
  const known = { bucketNumber, sourceId, ids, folders, read: batch.uploadIds };
  const { rowCount } = await query(client, insertKnown, known);
  return rowCount ?? 0;
}

function pathsOf(keys: readonly Key[], mount: Mount, isDirectory: boolean) {
  return keys.flatMap((key) => {
    try {
      return pathOfKey(key, isDirectory ? 0 : 1, mount);
    } catch (error) {
      // The index cannot hold it, and has nothing of it.
      if (error instanceof KeyError) return [];
      throw error;
    }
  });
}

const insertKnown = `
  insert into gone_uploads (number, upload_id)
  select row_number() over (order by upload_id), upload_id from (
    select u.upload_id, u.source_id from uploads.uploads u
    where u.bucket_number = :bucketNumber and u.upload_id = any (:ids::text[])
    union
    select u.upload_id, u.source_id from unnest(:folders::text[]) absent (tree_key)
    join uploads.folders f
      on f.bucket_number = :bucketNumber and ${isInSubtree("f.tree_key", "absent.tree_key")}
    join uploads.uploads u
      on u.bucket_number = :bucketNumber and u.tree_position = f.tree_position) known
  where source_id = :sourceId and upload_id <> all (:read::text[])`;

async function countGone(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    "select count(*)::integer as count from gone_uploads",
  );
  return rows[0]?.count ?? 0;
}
