/**
 * The step between the phases of a run: compares the complete listing with the rows of the source,
 * and stores what differs as numbered changes. One transaction; the listing is dropped in it.
 */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import { hasNoSettings } from "../../import/merge/deletions.ts";
import { isInSubtree, subtreeEnd, treeKey } from "../../model/tree-key.ts";
import { positionAt } from "../../model/tree-position.ts";
import { query } from "../../postgres/named-parameters.ts";
import type { Source } from "../source.ts";
import { endRun, type RunEnd } from "./end-run.ts";
import { type Found, guardStop } from "./guard.ts";
import { listedColumns } from "./listing-rows.ts";
import { type Run, readRun, tablesOf, updateRun } from "./run.ts";

/**
 * Returns the end of the run if the guard stops it: see `guardStop`.
 *
 * @param options.isConfirmed a person has said that everything that is gone may be deleted.
 * @param options.madeAt when the listing was made, if not now.
 */
export async function compare(
  client: pg.ClientBase,
  run: Run,
  source: Source,
  { isConfirmed, madeAt }: { readonly isConfirmed: boolean; readonly madeAt: Date | undefined },
): Promise<RunEnd | undefined> {
  const { listing } = tablesOf(run);
  await client.query(`analyze ${listing} (kind, upload_id, folder_key)`);
  return await inTransaction(client, async () => {
    await client.query("set local work_mem = '64MB'");
    // Without it, a planner that expects to look for one upload reads the whole listing for each.
    await client.query(`create index on ${listing} (upload_id)`);
    await listFolders(client, run, source);
    const hasUnreadable = await listUnreadable(client, listing);
    const found = await storeChanges(client, run, source, { hasUnreadable, madeAt });
    const stop = guardStop(found, await readRun(client, run), source);
    const isStopped = stop !== undefined && !isConfirmed;
    if (source.location.kind === "s3" && !isStopped && !run.isDryRun) {
      await keepKeys(client, run, found.listed);
    }
    await client.query(`drop table ${listing}`);
    const unchanged = found.listed - found.new - found.changed;
    await updateRun(client, run, setCounts, { ...found, unchanged });
    if (!isStopped) return undefined;
    return await endRun(client, await readRun(client, run), source, { stop });
  });
}

const setCounts = `phase = 'merge', new = :new, changed = :changed, gone = :gone,
  unchanged = :unchanged, changes = :changes`;

/** Stores the folders that the listing has or implies. The mount folder is always listed. */
async function listFolders(client: pg.ClientBase, run: Run, { mountPath }: Source): Promise<void> {
  const { listing, folders } = tablesOf(run);
  await client.query(
    `create table ${folders} (
       folder_key text collate "C" primary key, path text collate "C", is_listed boolean)`,
  );
  await query(
    client,
    `insert into ${folders}
     select folder_key, min(path), bool_or(kind <> 'upload') from (
       select folder_key, path, kind from ${listing} where path is not null
       union all select :mountKey, :mountPath, 'folder'
     ) found group by folder_key`,
    { mountKey: treeKey(mountPath), mountPath },
  );
  await client.query(`analyze ${folders}`);
}

/**
 * Makes the directories that could not be read quick to find for each upload that is gone; there
 * may be many of both. Returns whether there is any. Those under another one are left out: then
 * only the last one up to a key can contain it.
 */
async function listUnreadable(client: pg.ClientBase, listing: string): Promise<boolean> {
  const isDirectory = "kind = 'unread' and folder_key is not null";
  const { rowCount } = await client.query(`select from ${listing} where ${isDirectory} limit 1`);
  if (rowCount === 0) return false;
  await client.query(
    `create temporary table unreadable_folders on commit drop as
     select folder_key, external_path from (
       select folder_key, external_path, max(${subtreeEnd("folder_key")}) over (
         order by folder_key rows between unbounded preceding and 1 preceding) as end_before
       from ${listing} where ${isDirectory}) f
     where end_before is null or folder_key >= end_before`,
  );
  await client.query("create unique index on unreadable_folders (folder_key)");
  await client.query("create index on unreadable_folders (external_path)");
  await client.query("analyze unreadable_folders");
  return true;
}

async function storeChanges(
  client: pg.ClientBase,
  run: Run,
  source: Source,
  { hasUnreadable, madeAt }: { readonly hasUnreadable: boolean; readonly madeAt: Date | undefined },
): Promise<Found> {
  const { listing, changes } = tablesOf(run);
  await client.query(`create table ${changes} (number bigint primary key, like ${listing})`);
  const { bucketNumber, sourceId, mountPath } = source;
  const values = {
    bucketNumber,
    sourceId,
    mountKey: treeKey(mountPath),
    madeAt: madeAt ?? "infinity",
  };
  await query(
    client,
    `insert into ${changes} (number, kind, folder_key, ${listedColumns.join(", ")})
     select row_number() over (order by kind = 'gone folder', folder_key, filename), c.* from (
       ${writtenUploads(listing)}
       union all
       ${goneUploads(listing, hasUnreadable)}
       union all
       ${folderChanges(tablesOf(run), hasUnreadable)}
     ) c`,
    values,
  );
  await client.query(`analyze ${changes}`);
  const { rows } = await query<Record<keyof Found, string>>(
    client,
    `select count(*) as changes,
       count(*) filter (where kind = 'new') as new,
       count(*) filter (where kind = 'changed') as changed,
       count(*) filter (where kind = 'gone') as gone,
       count(*) filter (where kind = 'gone folder') as "goneFolders",
       (select count(*) from ${listing} where kind = 'upload') as listed,
       (select count(*) from uploads.uploads u where ${isUploadOfSource}) as known
     from ${changes}`,
    values,
  );
  const numbers = Object.entries(rows[0] ?? {}).map(([name, count]) => [name, Number(count)]);
  return Object.fromEntries(numbers) as Found;
}

// The source takes over a row with the ID of an object, whatever import or source made it. If the
// object changed after the listing was made, the row may be newer than the listing.
const writtenUploads = (listing: string) => `
  select case when u.upload_id is null then 'new' else 'changed' end as kind, l.folder_key,
    ${listedColumns.map((column) => `l.${column}`).join(", ")}
  from ${listing} l
  left join uploads.uploads u on u.bucket_number = :bucketNumber and u.upload_id = l.upload_id
  where l.kind = 'upload' and (u.source_id is distinct from :sourceId or u.updated_at <= :madeAt)
    and (u.upload_id is null
    or (u.path, u.filename, u.size_bytes, u.type, u.updated_at, u.external_path, u.source_id)
      is distinct from
      (l.path, l.filename, l.size_bytes, l.type, l.updated_at, l.external_path, :sourceId::uuid)
    or l.created_at <> u.created_at
    or l.tags <> coalesce(u.tags, '{}')
    or coalesce(u.intent_metadata, '{}') || coalesce(l.intent_metadata, '{}')
      <> coalesce(u.intent_metadata, '{}'))`;

// Files that could not be read are in the listing with the IDs of their uploads.
const goneUploads = (listing: string, hasUnreadable: boolean) => `
  select 'gone', uploads.tree_key(u.path), ${listedColumns
    .map((column) => (goneColumns.includes(column) ? `u.${column}` : "null"))
    .join(", ")}
  from uploads.uploads u
  where ${isUploadOfSource}
    and u.updated_at <= :madeAt
    and not exists (select from ${listing} l where l.upload_id = u.upload_id)
    ${hasUnreadable ? `and ${isReadable}` : ""}`;

const goneColumns: readonly string[] = ["upload_id", "path", "filename"];

const folderChanges = ({ folders }: { readonly folders: string }, hasUnreadable: boolean) => `
  select 'folder', l.folder_key, ${onlyPath("l.path")} from ${folders} l
  where l.is_listed and not exists (
    select from uploads.folders f
    where f.bucket_number = :bucketNumber and f.tree_key = l.folder_key and f.source_id is not null)
  union all
  select 'gone folder', g.tree_key, ${onlyPath("uploads.path_of(g.tree_key, g.path)")}
  from uploads.folders g
  where ${isOfSource("g.tree_key")} and not exists (
    select from ${folders} l
    where ${isInSubtree("l.folder_key", "g.tree_key")})
  and g.subtree_uploads = 0
  and not exists (
    select from uploads.folders f
    where f.bucket_number = :bucketNumber and ${isInSubtree("f.tree_key", "g.tree_key")} and ${isKept})
  ${hasUnreadable ? `and not exists (${unreadableAbove("g.tree_key")})` : ""}`;

/** Whether the merge keeps an empty folder `f`, and thereby all above it. */
const isKept = `(f.source_id is distinct from :sourceId or not (${hasNoSettings}))`;

const onlyPath = (path: string) =>
  listedColumns.map((column) => (column === "path" ? path : "null")).join(", ");

/** Whether a row came from the source and is under its mount folder. */
const isOfSource = (key: string) =>
  `bucket_number = :bucketNumber and source_id = :sourceId and ${isInSubtree(key, ":mountKey")}`;

const isUploadOfSource = `u.bucket_number = :bucketNumber and u.source_id = :sourceId
  and u.tree_position >= (select ${positionAt(":mountKey")})
  and u.tree_position < (select ${positionAt(subtreeEnd(":mountKey"))})`;

/** A folder at or above the key that could not be read. */
const unreadableAbove = (key: string) => `
  select from (
    select folder_key from unreadable_folders
    where folder_key <= ${key} order by folder_key desc limit 1) l
  where ${isInSubtree(key, "l.folder_key")}`;

/** An import may have moved an upload out of a directory, or back into one. */
const isReadable = `not exists (${unreadableAbove("uploads.tree_key(u.path)")})
  and not exists (
    select from (
      select external_path from unreadable_folders
      where external_path <= u.external_path order by external_path desc limit 1) l
    where starts_with(u.external_path, l.external_path))`;

/**
 * Evenly spaced keys of the listing: they divide the next one into ranges. Each range fills whole
 * pages of a store, less a few keys that may be added until then: keys on the last page of a range
 * that are beyond the range are read twice.
 */
async function keepKeys(client: pg.ClientBase, run: Run, listed: number): Promise<void> {
  const pages = Math.max(rangePagesMin, Math.ceil(listed / rangesMax / pageKeys));
  const rangeKeys = pages * pageKeys - addedKeys;
  const keys = Math.floor(listed / rangeKeys);
  const shares = Array.from({ length: keys }, (_, index) => ((index + 1) * rangeKeys) / listed);
  await query(
    client,
    `update uploads.sources set known_keys = coalesce((
       select percentile_disc(:shares::double precision[])
         within group (order by external_path collate "C")
       from ${tablesOf(run).listing} where kind = 'upload'), '{}')
     where bucket_id = :bucketId and source_id = :sourceId`,
    { ...run, shares },
  );
}

const rangesMax = 64;
const rangePagesMin = 3;
const pageKeys = 1000;
const addedKeys = 100;
