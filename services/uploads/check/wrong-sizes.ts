import type { RunQuery } from "../postgres/statements.ts";

/** A bucket whose stored sizes are wrong, or missing: then they are zero. */
interface WrongSize {
  readonly bucketId: string;
  readonly stored: { readonly folders: number; readonly uploads: number };
  readonly counted: { readonly folders: number; readonly uploads: number };
}

/** Counts all folders and uploads. */
export async function wrongSizes(run: RunQuery): Promise<WrongSize[]> {
  return await run<WrongSize>(`
    select bucket_id as "bucketId",
      json_build_object('folders', folders, 'uploads', uploads) as stored,
      json_build_object('folders', counted_folders, 'uploads', counted_uploads) as counted
    from (
      select bucket_id, coalesce(s.folders, 0) as folders, coalesce(s.uploads, 0) as uploads,
        s.bucket_id is null as is_missing,
        (select count(*) from uploads.folders f where f.bucket_id = b.bucket_id) as counted_folders,
        (select count(*) from uploads.uploads u where u.bucket_id = b.bucket_id) as counted_uploads
      from uploads.buckets b left join uploads.bucket_sizes s using (bucket_id)) sizes
    where is_missing or (folders, uploads) <> (counted_folders, counted_uploads)
    order by bucket_id`);
}
