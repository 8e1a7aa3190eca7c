import sql from "sql-template-tag";
import type { RunQuery } from "../postgres/statements.ts";

/** A bucket whose stored sizes are wrong. */
interface WrongSize {
  readonly bucketId: string;
  readonly stored: { readonly folders: string; readonly uploads: string };
  readonly counted: { readonly folders: string; readonly uploads: string };
}

/** Counts all folders and uploads. */
export async function wrongSizes(run: RunQuery): Promise<WrongSize[]> {
  const rows = await run<{
    bucket_id: string;
    folders: string;
    uploads: string;
    counted_folders: string;
    counted_uploads: string;
  }>(sql`
    select * from (
      select bucket_id, folders, uploads,
        (select count(*) from uploads.folders f where f.bucket_id = s.bucket_id) as counted_folders,
        (select count(*) from uploads.uploads u where u.bucket_id = s.bucket_id) as counted_uploads
      from uploads.bucket_sizes s) sizes
    where (folders, uploads) <> (counted_folders, counted_uploads)
    order by bucket_id`);
  return rows.map((row) => ({
    bucketId: row.bucket_id,
    stored: { folders: row.folders, uploads: row.uploads },
    counted: { folders: row.counted_folders, uploads: row.counted_uploads },
  }));
}
