import type pg from "pg";
import { runCountedInsert } from "./bucket-sizes.ts";

/**
 * Makes the folders that are missing: the root of every bucket, those that hold uploads or folders,
 * those that a directory listed. A folder that is there stays as it is. Uploads and folders must be
 * merged. Returns how many were made.
 */
export function addImpliedFolders(client: pg.ClientBase): Promise<number> {
  return runCountedInsert(client, "folders", addMissing);
}

// The ID made for a path may have moved to another path with its folder.
const freeId = `case
  when m.folder_id is null or exists (
    select from uploads.folders f
    where f.bucket_id = m.bucket_id and f.folder_id = m.folder_id)
  then gen_random_uuid() else m.folder_id end`;

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
    select * from wanted w where not exists (
      select from uploads.folders f
      where f.bucket_id = w.bucket_id and f.tree_key = w.tree_key)
  )
  insert into uploads.folders (bucket_id, folder_id, path, path_nfc, path_folded,
    colour, has_public_directory_listing, inherited_has_directory_listing, private_access,
    inherited_private_access, is_share_root, virtual_file_enabled, virtual_file_name,
    external_path, external_parent_path, "order", integration_hidden)
  select m.bucket_id, ${freeId}, m.path, m.path_nfc, m.path_folded,
    '', false, false, false, false, false, false, '', '', '', 0, false
  from missing m
  where m.tree_key = '' or m.is_listed or exists (
    select from uploads.uploads u
    where u.bucket_id = m.bucket_id and u.folder_key >= m.tree_key
      and u.folder_key < m.tree_key || chr(2)
  ) or exists (
    select from uploads.folders f
    where f.bucket_id = m.bucket_id and f.tree_key > m.tree_key
      and f.tree_key < m.tree_key || chr(2)
  )`;
