/** The folders of an import: those that it describes, and those that its paths imply. */
import type pg from "pg";
import { isBelow, subtreeEnd } from "../../model/tree-key.ts";
import { columnList } from "../../postgres/copy-in.ts";
import { withoutMethods } from "../../postgres/plan-settings.ts";
import { folderValues } from "../records/column-values.ts";
import { totalColumns } from "./folder-totals.ts";
import { placeFolders, positionOfNew } from "./place-folders.ts";
import { countRows, type MergeCounts, runOn, runStatement } from "./statements.ts";

/**
 * Writes each staged folder that no later line replaces, by ID or path, or deletes: it replaces the
 * one with its ID and the one at its path. Then makes the folders that are missing: the root of
 * every bucket, folders that contain uploads or folders, and listed directories. Other folders stay
 * as they are.
 *
 * Call it when the growth of the totals is counted: new folders begin with it.
 *
 * @param sourceId the source that has the implied folders. Listed folders of no source become its
 *   own.
 */
export async function mergeFolders(
  client: pg.ClientBase,
  sourceId: string | undefined,
): Promise<MergeCounts> {
  await runStatement(client, markLast);
  const described = await countRows(client, "staged_folders where is_last");
  const known = await countRows(client, knownFolders);
  const { changed, moved } = described === 0 ? noneReplaced : await replaceKnown(client);
  const source = { sourceId: sourceId ?? null };
  if (sourceId !== undefined) await runStatement(client, takeOverListed, source);
  // The statements look for each folder among those that exist. A planner that believes the table
  // to be empty would read all of it each time, while it grows.
  const added = await withoutMethods(runOn(client), ["seqscan"], async () => {
    await placeFolders(client, missingFolders, source);
    return await runStatement(client, addFolders);
  });
  await runStatement(client, countAdded);
  const newDescribed = await countRows(client, newDescribedFolders);
  return {
    new: added - moved,
    changed,
    unchanged: known + described - changed - (newDescribed - moved),
  };
}

const columns = Object.keys(folderValues).filter((column) => column !== "path");
const namesOfPath = ["path_nfc", "path_folded"];
const ownColumns = columns.filter((column) => !namesOfPath.includes(column));

const markLast = `
  update staged_folders s set is_last = false
  from (select line, max(line) over (partition by bucket_number, folder_id) as last_of_id,
               max(line) over (partition by bucket_number, tree_key) as last_of_path
        from staged_folders) l
  where l.line = s.line and s.line < greatest(l.last_of_id, l.last_of_path)`;

const takeOverListed = `
  update uploads.folders f set source_id = :sourceId::uuid from staged_paths p
  where p.is_listed and f.bucket_number = p.bucket_number and f.tree_key = p.tree_key
    and f.source_id is null`;

// The folders that the import implies, does not describe, and need not make.
const knownFolders = `(select distinct bucket_number, tree_key from staged_paths) p
  join uploads.folders f on f.bucket_number = p.bucket_number and f.tree_key = p.tree_key
  where not exists (
    select from staged_folders s
    where s.is_last and s.bucket_number = p.bucket_number and s.tree_key = p.tree_key)`;

const newDescribedFolders = `staged_folders s where s.is_last and exists (
  select from new_folders n
  where n.bucket_number = s.bucket_number and n.tree_key = s.tree_key)`;

const noneReplaced = { changed: 0, moved: 0 };

/** Returns how many staged folders the index has in another form, and how many get a new path. */
async function replaceKnown(client: pg.ClientBase) {
  const changed = await countRows(client, changedFolders);
  const moved = await countRows(client, movedFolders);
  await runStatement(client, emptyMoved);
  await runStatement(client, leaveMoved);
  await runStatement(client, replaceAtPath);
  return { changed, moved };
}

const isSamePath = "f.bucket_number = s.bucket_number and f.tree_key = s.tree_key";
const isSameId = "f.bucket_number = s.bucket_number and f.folder_id = s.folder_id";
const differs = `(${columnList(ownColumns, "s")})
  is distinct from (${columnList(ownColumns, "f")})`;

const changedFolders = `staged_folders s where s.is_last and (
  exists (select from uploads.folders f where ${isSamePath} and ${differs})
  or exists (select from uploads.folders f where ${isSameId} and f.tree_key <> s.tree_key))`;

const movedFolders = `staged_folders s where s.is_last
  and exists (select from uploads.folders f where ${isSameId} and f.tree_key <> s.tree_key)
  and not exists (select from uploads.folders f where ${isSamePath})`;

const isMoved = `s.is_last and ${isSameId} and f.tree_key <> s.tree_key`;

const emptyMoved = `
  insert into emptied_folders (bucket_number, path)
  select f.bucket_number, uploads.path_of(f.tree_key, f.path)
  from uploads.folders f join staged_folders s on ${isMoved}`;

// Its path may still contain something. So there is a folder, without what has moved away.
const leaveMoved = `
  update uploads.folders f set folder_id = gen_random_uuid(), settings = null,
    scoping_integration_id = null, virtual_file_integration_id = null, integration_hidden = false,
    source_id = null
  from staged_folders s where ${isMoved}`;

const replaceAtPath = `
  update uploads.folders f
  set (${columnList(ownColumns)}, source_id) = (${columnList(ownColumns, "s")}, null)
  from staged_folders s where s.is_last and ${isSamePath} and ${differs}`;

/**
 * The described and implied folders that the index does not have. An implied one is needed if an
 * upload is in it or below, or a folder that stays. The statement does not see the folders that it
 * adds itself: the next kept one in the order of tree keys tells whether one is below.
 */
const missingFolders = `
  with wanted as (
    select distinct on (bucket_number, tree_key) *, min(tree_key) filter (where is_kept) over (
      partition by bucket_number order by tree_key desc
      rows between unbounded preceding and 1 preceding) as next_kept
    from (
      select bucket_number, folder_id, tree_key, path, path_nfc, path_folded,
        null as settings, null::uuid as scoping_integration_id,
        null::uuid as virtual_file_integration_id, false as integration_hidden,
        :sourceId::uuid as source_id, is_listed as is_kept, false as is_described
      from staged_paths
      union all
      select bucket_number, folder_id, tree_key, path, path_nfc, path_folded, settings,
        scoping_integration_id, virtual_file_integration_id, integration_hidden, null, true, true
      from staged_folders where is_last) paths
    order by bucket_number, tree_key, is_described desc, is_kept desc
  )
  -- The deterministic ID of a path may belong to a folder that has moved away.
  select w.bucket_number,
    case when known.folder_id is null and moved.folder_id is null then w.folder_id
      else gen_random_uuid() end as folder_id,
    w.tree_key, w.path, w.path_nfc, w.path_folded, w.settings, w.scoping_integration_id,
    w.virtual_file_integration_id, w.integration_hidden, w.source_id
  from wanted w
  left join uploads.folders known
    on known.bucket_number = w.bucket_number and known.folder_id = w.folder_id
  left join staged_folders moved on moved.is_last and moved.bucket_number = w.bucket_number
    and moved.folder_id = w.folder_id and moved.tree_key <> w.tree_key
  where not exists (
    select from uploads.folders f
    where f.bucket_number = w.bucket_number and f.tree_key = w.tree_key)
  and (w.tree_key = '' or w.is_kept or w.next_kept < ${subtreeEnd("w.tree_key")}
    or exists (
      select from total_growth g
      where g.bucket_number = w.bucket_number and g.tree_key = w.tree_key
        and g.subtree_uploads > 0)
    or exists (
      select from uploads.folders f
      where f.bucket_number = w.bucket_number and ${isBelow("f.tree_key", "w.tree_key")}))`;

const addFolders = `
  insert into uploads.folders (bucket_number, ${columnList(columns)}, path, source_id, tree_key,
    tree_position, ${totalColumns.join(", ")})
  select n.bucket_number, ${columnList(columns, "n")},
    case when strpos(n.path, chr(1)) + strpos(n.path, chr(2)) > 0 then n.path end,
    n.source_id, n.tree_key, ${positionOfNew("n")},
    ${totalColumns.map((column) => `coalesce(g.${column}, 0)`).join(", ")}
  from new_folders n left join total_growth g using (bucket_number, tree_key)
  order by n.bucket_number, n.tree_key`;

const countAdded = `
  insert into index_growth (bucket_number, folders)
  select bucket_number, count(*) from new_folders group by bucket_number`;
