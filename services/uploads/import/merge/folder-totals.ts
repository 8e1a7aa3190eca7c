/** The totals of folders, which imports keep current so that readers need not count. */
import type pg from "pg";
import { countRows, runStatement } from "./statements.ts";

/**
 * Counts the totals of buckets anew. Nothing else may write to them meanwhile.
 *
 * @param buckets a list of bucket numbers in SQL, or a query for them.
 */
export async function rebuildTotals(client: pg.ClientBase, buckets: string): Promise<void> {
  await runStatement(
    client,
    `update uploads.folders f set (${totalColumns.join(", ")}) = (
       ${totalColumns.map((column) => `coalesce(t.${column}, 0)`).join(", ")})
     from uploads.folders known
     left join (${totalsOfFolders(countedUploads(buckets))}) t using (bucket_number, tree_key)
     where f.bucket_number = known.bucket_number and f.folder_id = known.folder_id
       and f.bucket_number in (${buckets})`,
  );
}

/** Adds the growth that the merge has counted to the folders that the index has. */
export async function addTotalGrowth(client: pg.ClientBase): Promise<void> {
  if ((await countRows(client, "total_growth")) > 0) await runStatement(client, addGrowth);
}

/** The columns of totals, in folders and in the queries for them. */
export const totalColumns = ["uploads", "size_bytes", "subtree_uploads", "subtree_size_bytes"];

/**
 * A query for the totals of folders and all above them.
 *
 * @param uploads a query for the number and size of the uploads directly in each folder.
 */
export function totalsOfFolders(uploads: string): string {
  return `
    select own.bucket_number, uploads.tree_key(above.path) as tree_key,
      coalesce(sum(own.uploads) filter (where above.path = own.path), 0)::bigint as uploads,
      coalesce(sum(own.size_bytes) filter (where above.path = own.path), 0) as size_bytes,
      sum(own.uploads)::bigint as subtree_uploads, sum(own.size_bytes) as subtree_size_bytes
    from (
      select *, string_to_array(substr(path, 2), '/') as names from (${uploads}) counted) own
    cross join lateral (
      select '/' || array_to_string(own.names[1:level], '/') collate "C" as path
      from generate_series(0, cardinality(own.names)) level) above
    group by own.bucket_number, above.path`;
}

/** Counts the uploads in each folder along an index. */
export function countedUploads(buckets: string): string {
  return `
    select f.bucket_number, uploads.path_of(f.tree_key, f.path) as path, u.uploads, u.size_bytes
    from (
      select bucket_number, tree_position, count(*) as uploads, sum(size_bytes) as size_bytes
      from uploads.uploads where bucket_number in (${buckets})
      group by bucket_number, tree_position) u
    join uploads.folders f
      on f.bucket_number = u.bucket_number and f.tree_position = u.tree_position`;
}

const addGrowth = `
  update uploads.folders f set
    uploads = f.uploads + g.uploads, size_bytes = f.size_bytes + g.size_bytes,
    subtree_uploads = f.subtree_uploads + g.subtree_uploads,
    subtree_size_bytes = f.subtree_size_bytes + g.subtree_size_bytes
  from total_growth g
  where f.bucket_number = g.bucket_number and f.tree_key = g.tree_key`;
