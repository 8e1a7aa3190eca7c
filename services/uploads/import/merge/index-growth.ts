/**
 * Counts the uploads that a merge adds and removes, before it writes anything: sizes and totals
 * change by these counts.
 */
import type pg from "pg";
import { parentOf } from "./deletions.ts";
import { countRows, greatestDepth, runStatement } from "./statements.ts";

/** Call it when deletions are resolved and the staged uploads are compared with the index. */
export async function countGrowth(client: pg.ClientBase): Promise<void> {
  // The next statements read few of the rows. The planner must know how many.
  if ((await countRows(client, "staged_deletions")) > 0) {
    await client.query("analyze staged_deletions");
  }
  await runStatement(client, countUploads);
  await runStatement(client, addOwn);
  for (let depth = await greatestDepth(client, "total_growth"); depth > 0; depth--) {
    await runStatement(client, addToParents, { depth });
  }
  await client.query("analyze total_growth");
}

const countUploads = `
  insert into index_growth (bucket_number, path, uploads, size_bytes)
  select bucket_number, path, sum(uploads), sum(size_bytes) from (
    select u.bucket_number, u.path, -1 as uploads, -u.size_bytes as size_bytes
    from (select distinct bucket_number, upload_id from staged_deletions) d
    join uploads.uploads u on u.bucket_number = d.bucket_number and u.upload_id = d.upload_id
    union all
    select c.bucket_number, c.path, -1, -c.size_bytes from changed_uploads c
    union all
    select s.bucket_number, s.path, 1, s.size_bytes
    from changed_uploads c join staged_uploads s using (bucket_number, upload_id)
    union all
    select s.bucket_number, s.path, 1, s.size_bytes
    from new_uploads n join staged_uploads s on s.ctid = n.staged_row) counted
  group by bucket_number, path having sum(uploads) <> 0 or sum(size_bytes) <> 0`;

const addOwn = `
  insert into total_growth
    (bucket_number, path, depth, uploads, size_bytes, subtree_uploads, subtree_size_bytes)
  select bucket_number, path, uploads.tree_depth(uploads.tree_key(path)), uploads, size_bytes,
    uploads, size_bytes
  from index_growth where path is not null`;

const addToParents = `
  insert into total_growth as t
    (bucket_number, path, depth, uploads, size_bytes, subtree_uploads, subtree_size_bytes)
  select bucket_number, ${parentOf("path")}, depth - 1, 0, 0, sum(subtree_uploads),
    sum(subtree_size_bytes)
  from total_growth where depth = :depth group by 1, 2, 3
  on conflict (bucket_number, tree_key) do update set
    subtree_uploads = t.subtree_uploads + excluded.subtree_uploads,
    subtree_size_bytes = t.subtree_size_bytes + excluded.subtree_size_bytes`;
