/**
 * What a run has listed, in temporary tables of its connection. What the index has of the source
 * beyond that is gone.
 */
import type pg from "pg";
import { hasNoSettings } from "../../import/merge/deletions.ts";
import { isInSubtree, subtreeEnd, treeKey } from "../../model/tree-key.ts";
import { positionAt } from "../../model/tree-position.ts";
import { copiedTable } from "../../postgres/copy-in.ts";
import { query } from "../../postgres/named-parameters.ts";
import type { Source } from "../source.ts";
import type { ListedBatch } from "./listed-batch.ts";

/** Creates the tables of this connection. */
export async function createSeenTables(client: pg.ClientBase): Promise<void> {
  await client.query(seenTables);
}

const seenTables = `
  create temporary table seen_uploads (upload_id text collate "C" not null);
  -- Of these, those that are new in the index.
  create temporary table added_uploads (upload_id text collate "C" not null);
  create temporary table seen_folders (tree_key text collate "C" not null);
  create temporary table unread_folders (
    tree_key text collate "C" not null, external_path text collate "C" not null);
  create temporary table outermost_unread (
    tree_key text collate "C" primary key, external_path text collate "C" not null);
  create index on outermost_unread (external_path);
  create temporary table gone_uploads (
    number bigint primary key, upload_id text collate "C" not null,
    is_proved boolean not null default true);
  create temporary table gone_folders (path text collate "C" not null);
  create temporary table moved_uploads (
    gone_id text collate "C" not null, added_id text collate "C" not null)`;

/** Adds what a batch has. */
export async function addSeen(client: pg.ClientBase, batch: ListedBatch): Promise<void> {
  const uploads = copiedTable(client, "seen_uploads", { upload_id: (id: string) => id });
  const folders = copiedTable(client, "seen_folders", { tree_key: treeKey });
  const unread = copiedTable(client, "unread_folders", {
    tree_key: ({ path }: ListedBatch["unreadFolders"][number]) => treeKey(path),
    external_path: ({ externalPath }) => externalPath,
  });
  for (const id of batch.uploadIds) uploads.add(id);
  for (const path of batch.folders) folders.add(path);
  for (const folder of batch.unreadFolders) unread.add(folder);
  for (const table of [uploads, folders, unread]) await table.send(true);
}

/** Adds what a merge will write that the index does not have. */
export async function addAdded(client: pg.ClientBase): Promise<void> {
  await client.query(`
    insert into added_uploads
    select s.upload_id from new_uploads n join staged_uploads s on s.ctid = n.staged_row`);
}

/** In SQL: which folders `f` the listing has. */
export const listedFolders = "exists (select from seen_folders l where l.tree_key = f.tree_key)";

/** Counts of the rows of a source. */
export interface Gone {
  /** Uploads of the source in the index. */
  readonly known: number;
  readonly uploads: number;
  /** Folders without uploads in and under them. */
  readonly folders: number;
}

/**
 * Fills `gone_uploads` and `gone_folders`. Call it when everything is listed.
 *
 * @param madeAt when the listing was made, if not now: what changed later is not gone.
 */
export async function findGone(
  client: pg.ClientBase,
  { bucketNumber, sourceId, mountPath }: Source,
  madeAt: Date | undefined,
): Promise<Gone> {
  const values = {
    ...{ bucketNumber, sourceId },
    mountKey: treeKey(mountPath),
    madeAt: madeAt ?? "infinity",
  };
  await client.query("set work_mem = '64MB'");
  await client.query("analyze seen_uploads, seen_folders");
  const hasUnread = await findOutermostUnread(client);
  const uploads = await query(client, goneUploads(hasUnread), values);
  const folders = await query(client, goneFolders(hasUnread), values);
  const { rows } = await query<{ known: string }>(client, knownUploads, values);
  await client.query("reset work_mem; analyze gone_uploads");
  return {
    known: Number(rows[0]?.known),
    uploads: uploads.rowCount ?? 0,
    folders: folders.rowCount ?? 0,
  };
}

/**
 * Makes the directories that could not be read quick to find for each upload that is gone; there
 * may be many of both. Those under another one are left out: then only the last one up to a key can
 * contain it. Returns whether there is any.
 */
async function findOutermostUnread(client: pg.ClientBase): Promise<boolean> {
  const { rowCount } = await client.query(`
    insert into outermost_unread select tree_key, external_path from (
      select tree_key, external_path, max(${subtreeEnd("tree_key")}) over (
        order by tree_key rows between unbounded preceding and 1 preceding) as end_before
      from unread_folders) f
    where end_before is null or tree_key >= end_before`);
  if (rowCount === 0) return false;
  await client.query("analyze outermost_unread");
  return true;
}

const isUploadOfSource = `u.bucket_number = :bucketNumber and u.source_id = :sourceId
  and u.tree_position >= (select ${positionAt(":mountKey")})
  and u.tree_position < (select ${positionAt(subtreeEnd(":mountKey"))})`;

const knownUploads = `select count(*) as known from uploads.uploads u where ${isUploadOfSource}`;

const goneUploads = (hasUnread: boolean) => `
  insert into gone_uploads (number, upload_id)
  select row_number() over (order by u.tree_position, u.upload_id), u.upload_id
  from uploads.uploads u
  where ${isUploadOfSource} and u.updated_at <= :madeAt
    and not exists (select from seen_uploads s where s.upload_id = u.upload_id)
    ${hasUnread ? `and ${isReadable}` : ""}`;

// A folder that contains a listed one, or one that stays, is not removed: it is not empty.
const goneFolders = (hasUnread: boolean) => `
  insert into gone_folders (path)
  select uploads.path_of(f.tree_key, f.path) from uploads.folders f
  where f.bucket_number = :bucketNumber and f.source_id = :sourceId
    and ${isInSubtree("f.tree_key", ":mountKey")} and f.tree_key <> :mountKey
    and f.subtree_uploads = 0
    and not exists (
      select from seen_folders s where ${isInSubtree("s.tree_key", "f.tree_key")})
    and not exists (
      select from uploads.folders k
      where k.bucket_number = :bucketNumber and ${isInSubtree("k.tree_key", "f.tree_key")}
        and (k.source_id is distinct from :sourceId or not ${hasNoSettings("k")}))
    ${hasUnread ? `and not exists (${unreadAbove("f.tree_key")})` : ""}`;

/** A folder at or above the key that could not be read. */
function unreadAbove(key: string): string {
  return `
    select from (
      select tree_key from outermost_unread
      where tree_key <= ${key} order by tree_key desc limit 1) l
    where ${isInSubtree(key, "l.tree_key")}`;
}

/** An import may have moved an upload out of a directory, or back into one. */
const isReadable = `not exists (${unreadAbove("uploads.tree_key(u.path)")})
  and not exists (
    select from (
      select external_path from outermost_unread
      where external_path <= u.external_path order by external_path desc limit 1) l
    where starts_with(u.external_path, l.external_path))`;
