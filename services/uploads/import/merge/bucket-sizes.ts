/** Keeps the numbers of folders and uploads of each bucket, so that readers need not count. */
import type pg from "pg";
import { runStatement } from "./statements.ts";

/**
 * Counts the buckets that have no sizes yet; new ones are empty. Call it after the buckets are
 * locked, before rows are written.
 */
export async function countNewBuckets(client: pg.ClientBase): Promise<void> {
  await runStatement(client, countUncounted);
}

/** Adds the rows that the merge inserted, and subtracts those that it deleted or displaced. */
export async function addBucketGrowth(client: pg.ClientBase): Promise<void> {
  await runStatement(client, addGrowth);
}

const countUncounted = `
  insert into uploads.bucket_sizes (bucket_id, folders, uploads)
  select bucket_id,
    (select count(*) from uploads.folders f where f.bucket_id = b.bucket_id),
    (select count(*) from uploads.uploads u where u.bucket_id = b.bucket_id)
  from uploads.buckets b
  where bucket_id in (select bucket_id from staged_paths)
    and not exists (select from uploads.bucket_sizes s where s.bucket_id = b.bucket_id)`;

const addGrowth = `
  update uploads.bucket_sizes s
  set folders = s.folders + growth.folders, uploads = s.uploads + growth.uploads
  from (
    select bucket_id, sum(folders) as folders, sum(uploads) as uploads
    from (
      select bucket_id, folders, uploads from index_growth
      union all
      select bucket_id, -count(*), 0 from displaced_folders group by bucket_id
    ) parts
    group by bucket_id
  ) growth
  where s.bucket_id = growth.bucket_id and (growth.folders <> 0 or growth.uploads <> 0)`;
