import type pg from "pg";
import { runCountedInsert } from "./bucket-sizes.ts";
import { type MergeCounts, mergeCounts } from "./merge-counts.ts";
import { countRows, runStatement } from "./run-statement.ts";
import { columnList, folderValues } from "./written-values.ts";

/**
 * Writes the staged folders as if one after the other: a folder takes the place of the one with its
 * ID and of the one at its path. What it took the place of goes to `displaced_folders`, since there
 * may still be something at those paths. Foreign keys must be deferred.
 */
export async function mergeFolders(client: pg.ClientBase): Promise<MergeCounts> {
  await runStatement(client, markLast);
  await runStatement(client, displace);
  const added = await runCountedInsert(client, "folders", addMissing);
  const changed = await countRows(client, changedFolders);
  const all = await countRows(client, "staged_folders where is_last");
  return mergeCounts(all, added - changed, changed);
}

const columns = Object.keys(folderValues);

const markLast = `
  update staged_folders s set is_last = false
  from (select line, max(line) over (partition by bucket_id, folder_id) as last_of_id,
               max(line) over (partition by bucket_id, tree_key) as last_of_path
        from staged_folders) l
  where l.line = s.line and s.line < greatest(l.last_of_id, l.last_of_path)`;

// A row that is as it should be stays: what is equal is not written again.
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

const addMissing = `
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
