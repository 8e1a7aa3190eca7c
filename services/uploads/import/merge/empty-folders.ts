/** Removes folders that a merge leaves empty. */
import type pg from "pg";
import { isBelow } from "../../model/tree-key.ts";
import { hasNoSettings, parentOf } from "./deletions.ts";
import { greatestDepth, runStatement } from "./statements.ts";

interface EmptyFolders {
  /** The source whose folders may be removed too; undefined: only folders of no source. */
  readonly sourceId?: string;
  /** A condition on a folder `f` that is not removed, since its source still lists it. */
  readonly keptFolders?: string;
}

/**
 * Removes those of `emptied_folders` that are empty, and the folders above that thereby become
 * empty. Kept are the root, the mount folder of a source, folders that the merge describes or
 * lists, and, unless said otherwise, folders with settings of their own: with any member beyond ID
 * and path. Returns how many it removed. Uploads and folders must be merged.
 */
export async function removeEmptyFolders(
  client: pg.ClientBase,
  { sourceId, keptFolders = "false" }: EmptyFolders,
): Promise<number> {
  const remove = removeAtDepth(keptFolders);
  const source = { sourceId: sourceId ?? null };
  let count = 0;
  // A folder may become empty when those under it are removed.
  for (let depth = await greatestDepth(client, "emptied_folders"); depth > 0; depth--) {
    await runStatement(client, "analyze emptied_folders");
    count += await runStatement(client, remove, { ...source, depth });
    await runStatement(client, addFoldersAbove, { depth });
  }
  return count;
}

const addFoldersAbove = `
  insert into emptied_folders (bucket_number, path)
  select distinct e.bucket_number, ${parentOf("e.path")} from emptied_folders e
  where e.depth = :depth and not exists (
    select from uploads.folders f
    where f.bucket_number = e.bucket_number and f.tree_key = e.tree_key)`;

// The planner may turn `exists` into a join that compares all folders of a level with all of the
// bucket. It keeps a scalar subquery, which uses the index.
function removeAtDepth(keptFolders: string): string {
  return `
    with removed as (
    delete from uploads.folders f using (
      select bucket_number, tree_key, bool_or(despite_settings) as despite_settings
      from emptied_folders where depth = :depth group by bucket_number, tree_key) e
    where f.bucket_number = e.bucket_number and f.tree_key = e.tree_key
      and (e.despite_settings
        or ${hasNoSettings("f")} and (f.source_id is null or f.source_id = :sourceId::uuid))
      and f.subtree_uploads = 0
      and (
        select true from uploads.folders under
        where under.bucket_number = f.bucket_number and ${isBelow("under.tree_key", "f.tree_key")}
        limit 1) is null
      and not exists (
        select from staged_folders s
        where s.is_last and s.bucket_number = f.bucket_number and s.tree_key = f.tree_key)
      and not exists (
        select from staged_paths p
        where p.is_listed and p.bucket_number = f.bucket_number and p.tree_key = f.tree_key)
      and not exists (
        select from uploads.sources s join uploads.buckets b using (bucket_id)
        where b.bucket_number = f.bucket_number and s.mount_key = f.tree_key)
      and not (${keptFolders})
    returning f.bucket_number)
    insert into index_growth (bucket_number, folders) select bucket_number, -1 from removed`;
}
