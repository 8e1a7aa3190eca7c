/** Keeps the numbers of folders and uploads of each bucket, so that readers need not count. */
import type pg from "pg";
import { runStatement } from "./statements.ts";

/** Adds the rows that the merge inserted, and subtracts those that it deleted. */
export async function addBucketGrowth(client: pg.ClientBase): Promise<void> {
  await runStatement(client, addGrowth);
}

// A new bucket has no sizes yet, and at least the root is added.
const addGrowth = `
  insert into uploads.bucket_sizes as s (bucket_id, folders, uploads)
  select bucket_id, sum(folders), sum(uploads)
  from index_growth join uploads.buckets using (bucket_number)
  group by bucket_id having sum(folders) <> 0 or sum(uploads) <> 0
  on conflict (bucket_id) do update
  set folders = s.folders + excluded.folders, uploads = s.uploads + excluded.uploads`;
