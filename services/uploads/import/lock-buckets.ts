import type pg from "pg";
import { countRows, runStatement } from "./run-statement.ts";

/**
 * Makes imports into the same bucket wait for each other, to the end of the transaction. Readers
 * are not held up. Every import takes its locks in the same order, so none can wait in a circle:
 * first the table, if it makes or changes a bucket, then the rows by ID.
 *
 * Returns whether buckets may be written: a statement that writes the table would wait for whoever
 * has locked it, even if it found no row to write, and would do so after the rows are locked.
 */
export async function lockBuckets(client: pg.ClientBase): Promise<boolean> {
  const writesBuckets = (await countRows(client, differentBuckets)) > 0;
  if (writesBuckets) {
    await runStatement(client, "lock table uploads.buckets in share row exclusive mode");
  }
  await runStatement(client, lockRows);
  return writesBuckets;
}

const differentBuckets = `staged_buckets s left join uploads.buckets b using (bucket_id)
  where (b.hostname, b.organisation_id, b.is_primary)
    is distinct from (s.hostname, s.organisation_id, coalesce(s.is_primary, b.is_primary))`;

const lockRows = `
  select from uploads.buckets
  where bucket_id in (select bucket_id from staged_paths) or is_primary and organisation_id in (
    select organisation_id from staged_buckets where is_primary)
  order by bucket_id for update`;
