/** Keeps the totals of folders, so that readers need not count (schema/0007-folder-totals.sql). */
import type pg from "pg";
import { countRows, runStatement } from "./statements.ts";

/**
 * Counts the totals of buckets anew. Nothing else may write to them meanwhile.
 *
 * @param buckets a list of IDs in SQL, or a query for them.
 */
export async function rebuildTotals(client: pg.ClientBase, buckets: string): Promise<void> {
  await runStatement(client, `delete from uploads.folder_totals where bucket_id in (${buckets})`);
  await runStatement(
    client,
    `insert into uploads.folder_totals ${totalsOfFolders(countedUploads(buckets))}`,
  );
}

/** Adds the growth that the merge has counted. */
export async function addTotalGrowth(client: pg.ClientBase): Promise<void> {
  await runStatement(client, `insert into total_growth ${totalsOfFolders(grownUploads)}`);
  await runStatement(client, addGrowth);
  if ((await countRows(client, "total_growth where subtree_uploads < 0")) === 0) return;
  await runStatement(client, deleteEmpty);
}

/**
 * A query for the totals of folders and all above them.
 *
 * @param uploads a query for the number and size of the uploads directly in each folder.
 */
export function totalsOfFolders(uploads: string): string {
  return `
    select own.bucket_id, uploads.tree_key(above.path) as tree_key,
      coalesce(sum(own.uploads) filter (where above.path = own.path), 0)::bigint as uploads,
      coalesce(sum(own.size_bytes) filter (where above.path = own.path), 0) as size_bytes,
      sum(own.uploads)::bigint as subtree_uploads, sum(own.size_bytes) as subtree_size_bytes
    from (
      select *, string_to_array(substr(path, 2), '/') as names from (${uploads}) counted) own
    cross join lateral (
      select '/' || array_to_string(own.names[1:level], '/') collate "C" as path
      from generate_series(0, cardinality(own.names)) level) above
    group by own.bucket_id, above.path`;
}

/** Counts the uploads in each folder along an index. */
export function countedUploads(buckets: string): string {
  return `
    select f.bucket_id, f.path, u.uploads, u.size_bytes from (
      select bucket_id, folder_key, count(*) as uploads, sum(size_bytes) as size_bytes
      from uploads.uploads where bucket_id in (${buckets}) group by bucket_id, folder_key) u
    join uploads.folders f on f.bucket_id = u.bucket_id and f.tree_key = u.folder_key`;
}

const grownUploads = `
  select bucket_id, path, sum(uploads) as uploads, sum(size_bytes) as size_bytes
  from index_growth where path is not null group by bucket_id, path
  having sum(uploads) <> 0 or sum(size_bytes) <> 0`;

const addGrowth = `
  insert into uploads.folder_totals as t select * from total_growth
  on conflict (bucket_id, tree_key) do update set
    uploads = t.uploads + excluded.uploads, size_bytes = t.size_bytes + excluded.size_bytes,
    subtree_uploads = t.subtree_uploads + excluded.subtree_uploads,
    subtree_size_bytes = t.subtree_size_bytes + excluded.subtree_size_bytes`;

const deleteEmpty = `
  delete from uploads.folder_totals t using total_growth g
  where t.bucket_id = g.bucket_id and t.tree_key = g.tree_key and t.subtree_uploads = 0`;
