/**
 * Ghosts: objects that a store lists, and that do not exist when they are asked for. They are
 * marked when they are found, or may be ones; the next run asks for each, and runs leave out those
 * that do not exist.
 */
import type pg from "pg";
import { deterministicUploadId } from "../model/deterministic-ids.ts";
import { treeKey } from "../model/tree-key.ts";
import { query } from "../postgres/named-parameters.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { type Key, keyOfPath, pathOfKey } from "./keys.ts";
import type { OpenedSource } from "./open-source.ts";
import type { Source } from "./source.ts";

/** Most that are marked in a source. */
const ghostsMax = 10_000;

/** @param keys what a store lists although it does not have it. */
export async function markGhosts(
  client: pg.ClientBase,
  { bucketId, bucketNumber, sourceId }: Source,
  keys: readonly Key[],
  { mount }: Pick<OpenedSource, "mount">,
): Promise<void> {
  if (keys.length === 0) return;
  const ids = keys.flatMap((key) => {
    const { path, filename } = pathOfKey(key, 1, mount);
    return filename === undefined ? [] : [deterministicUploadId(bucketId, path, filename)];
  });
  await query(client, mark, { bucketNumber, sourceId, ids });
}

const mark = `
  insert into uploads.ghosts (bucket_number, upload_id, source_id, path, filename)
  select u.bucket_number, u.upload_id, u.source_id, u.path, u.filename from uploads.uploads u
  where u.bucket_number = :bucketNumber and u.upload_id = any (:ids::text[])
    and u.source_id = :sourceId
  on conflict do nothing`;

/** Marks an upload whose object was not what the index says when somebody opened it. */
export async function markOpened(
  run: RunQuery,
  upload: { readonly bucketId: string; readonly path: string; readonly filename: string },
): Promise<void> {
  await run(markOne, { ...upload, treeKey: treeKey(upload.path) });
}

const markOne = `
  insert into uploads.ghosts (bucket_number, upload_id, source_id, path, filename)
  select u.bucket_number, u.upload_id, u.source_id, u.path, u.filename
  from uploads.buckets b
  join uploads.folders f on f.bucket_number = b.bucket_number and f.tree_key = :treeKey
  join uploads.uploads u on u.bucket_number = b.bucket_number
    and u.tree_position = f.tree_position and u.filename = :filename
  where b.bucket_id = :bucketId and u.source_id is not null
  on conflict do nothing`;

/** The IDs of the ghosts of a source. */
export async function readGhosts(
  client: pg.ClientBase,
  source: Source,
): Promise<ReadonlySet<string>> {
  return new Set((await selectGhosts(client, source)).map(({ uploadId }) => uploadId));
}

async function selectGhosts(client: pg.ClientBase, { sourceId }: Source): Promise<Ghost[]> {
  return (await query<Ghost>(client, select, { sourceId })).rows;
}

/** Asks for the ghosts of a source again. Returns the IDs of those that still do not exist. */
export async function findGhosts(
  client: pg.ClientBase,
  source: Source,
  { lister, mount }: OpenedSource,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const rows = await selectGhosts(client, source);
  const keys = rows.map((row) => keyOfPath(row, mount));
  const presences = keys.length === 0 ? [] : await lister.find(keys, signal);
  const real = rows.filter((_, index) => presences[index] === "present");
  const ids = real.map(({ uploadId }) => uploadId);
  if (ids.length > 0) await query(client, unmark, { bucketNumber: source.bucketNumber, ids });
  const absent = rows.filter((_, index) => presences[index] === "absent");
  return new Set(absent.map(({ uploadId }) => uploadId));
}

interface Ghost {
  readonly uploadId: string;
  readonly path: string;
  readonly filename: string;
}

const select = `
  select upload_id as "uploadId", path, filename from uploads.ghosts
  where source_id = :sourceId order by found_at desc limit ${ghostsMax}`;

const unmark = `
  delete from uploads.ghosts
  where bucket_number = :bucketNumber and upload_id = any (:ids::text[])`;
