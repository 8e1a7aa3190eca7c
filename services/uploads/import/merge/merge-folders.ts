/** The folders of an import: those that it describes, and those that its paths imply. */
import type pg from "pg";
import { isBelow, isInSubtree, subtreeEnd } from "../../model/tree-key.ts";
import { columnList } from "../../postgres/copy-in.ts";
import type { NamedValues } from "../../postgres/named-parameters.ts";
import { withoutMethods } from "../../postgres/plan-settings.ts";
import { folderValues } from "../records/column-values.ts";
import { runAndCount } from "./index-growth.ts";
import { countRows, type MergeCounts, mergeCounts, runOn, runStatement } from "./statements.ts";

/**
 * Writes the staged folders as if one after the other: a folder replaces the one with its ID and
 * the one at its path. The replaced rows go to `displaced_folders`, since their paths may still
 * contain something. Foreign keys must be deferred.
 */
export async function mergeFolders(client: pg.ClientBase): Promise<MergeCounts> {
  await runStatement(client, markLast);
  await runStatement(client, displace);
  const added = await insertFolders(client, addStaged);
  const changed = await countRows(client, changedFolders);
  const all = await countRows(client, "staged_folders where is_last");
  return mergeCounts(all, added - changed, changed);
}

/** Counts the folders that the import implies, does not describe, and need not make. */
export function countKnownFolders(client: pg.ClientBase): Promise<number> {
  return countRows(client, knownFolders);
}

/**
 * Makes the folders that are missing: the root of every bucket, folders that contain uploads or
 * folders, and listed directories. Existing folders stay as they are. Uploads and folders must be
 * merged. Returns how many folders it made.
 *
 * @param sourceId the source that has these folders. Listed folders of no source become its own.
 */
export async function addImpliedFolders(
  client: pg.ClientBase,
  sourceId: string | undefined,
): Promise<number> {
  if (sourceId !== undefined) await runStatement(client, takeOverListed, { sourceId });
  return await insertFolders(client, addMissing, { sourceId: sourceId ?? null });
}

// The statements look for each folder among those that exist. A planner that believes the table to
// be empty would read all of it each time, while it grows.
function insertFolders(
  client: pg.ClientBase,
  statement: string,
  values?: NamedValues,
): Promise<number> {
  return withoutMethods(runOn(client), ["seqscan"], () =>
    runAndCount(client, { things: "folders", by: "insert" }, statement, values),
  );
}

const takeOverListed = `
  update uploads.folders f set source_id = :sourceId::uuid from staged_paths p
  where p.is_listed and f.bucket_id = p.bucket_id and f.tree_key = p.tree_key
    and f.source_id is null`;

const columns = Object.keys(folderValues);

const markLast = `
  update staged_folders s set is_last = false
  from (select line, max(line) over (partition by bucket_id, folder_id) as last_of_id,
               max(line) over (partition by bucket_id, tree_key) as last_of_path
        from staged_folders) l
  where l.line = s.line and s.line < greatest(l.last_of_id, l.last_of_path)`;

// Rows that would not change are not written again.
const displace = `
  with touched as (
    select f.bucket_id, f.folder_id from uploads.folders f
    join staged_folders s on s.bucket_id = f.bucket_id and s.folder_id = f.folder_id
    union
    select f.bucket_id, f.folder_id from uploads.folders f
    join staged_folders s on s.bucket_id = f.bucket_id and s.tree_key = f.tree_key
  ), displaced as (
    delete from uploads.folders f using touched t
    where t.bucket_id = f.bucket_id and t.folder_id = f.folder_id and not exists (
      select from staged_folders s
      where s.is_last and s.bucket_id = f.bucket_id and s.folder_id = f.folder_id
        and (${columnList(columns, "s")}) is not distinct from (${columnList(columns, "f")}))
    returning f.*
  )
  insert into displaced_folders select * from displaced`;

const addStaged = `
  insert into uploads.folders (${columnList(columns)})
  select ${columnList(columns)} from staged_folders s
  where s.is_last and not exists (
    select from uploads.folders f
    where f.bucket_id = s.bucket_id and f.folder_id = s.folder_id)`;

const changedFolders = `(
  select s.line from staged_folders s join displaced_folders d
    on d.bucket_id = s.bucket_id and d.folder_id = s.folder_id where s.is_last
  union
  select s.line from staged_folders s join displaced_folders d
    on d.bucket_id = s.bucket_id and d.tree_key = s.tree_key where s.is_last) as changed`;

const knownFolders = `(select distinct bucket_id, tree_key from staged_paths) p
  join uploads.folders f on f.bucket_id = p.bucket_id and f.tree_key = p.tree_key
  where not exists (
    select from staged_folders s
    where s.is_last and s.bucket_id = p.bucket_id and s.tree_key = p.tree_key)`;

// The deterministic ID of a path may belong to a folder that has moved away.
const freeId = `case
  when m.folder_id is null or exists (
    select from uploads.folders f
    where f.bucket_id = m.bucket_id and f.folder_id = m.folder_id)
  then gen_random_uuid() else m.folder_id end`;

// The statement does not see the listed folders that it makes itself. So a folder above one looks
// for it among the missing folders: it is the next listed one in the order of tree keys.
const addMissing = `
  with wanted as (
    select distinct on (bucket_id, tree_key) * from (
      select bucket_id, folder_id, tree_key, path, path_nfc, path_folded, is_listed
      from staged_paths
      union all
      select bucket_id, null, tree_key, path, path_nfc, path_folded, false
      from displaced_folders
    ) as paths
    order by bucket_id, tree_key, is_listed desc, folder_id nulls last
  ), missing as materialized (
    select *, min(tree_key) filter (where is_listed) over (
      partition by bucket_id order by tree_key desc
      rows between unbounded preceding and 1 preceding) as next_listed
    from wanted w where not exists (
      select from uploads.folders f
      where f.bucket_id = w.bucket_id and f.tree_key = w.tree_key)
  )
  insert into uploads.folders
    (bucket_id, folder_id, path, path_nfc, path_folded, integration_hidden, source_id)
  select m.bucket_id, ${freeId}, m.path, m.path_nfc, m.path_folded, false, :sourceId::uuid
  from missing m
  where m.tree_key = '' or m.is_listed or m.next_listed < ${subtreeEnd("m.tree_key")} or exists (
    select from uploads.uploads u
    where u.bucket_id = m.bucket_id and ${isInSubtree("u.folder_key", "m.tree_key")}
  ) or exists (
    select from uploads.folders f
    where f.bucket_id = m.bucket_id and ${isBelow("f.tree_key", "m.tree_key")}
  )`;
