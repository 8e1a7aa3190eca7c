/**
 * Ghosts: objects that a store lists, and that do not exist when they are asked for. They are
 * marked when they are found; the runs after that leave them out for as long as they do not exist.
 */
import type pg from "pg";
import { deterministicUploadId } from "../model/deterministic-ids.ts";
import { query } from "../postgres/named-parameters.ts";
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
