import type { Check } from "./check-bucket.ts";

/** Counts all folders and uploads. Missing sizes are wrong, and read as zero. */
export const wrongSizes: Check = async (run, { bucketId, bucketNumber }) => {
  const rows = await run<{ got: string; need: string }>(
    `select
      coalesce(s.folders, 0) || ' folders and ' || coalesce(s.uploads, 0) || ' uploads' as got,
      counted.folders || ' and ' || counted.uploads as need
    from (
      select (select count(*) from uploads.folders f where f.bucket_number = :bucketNumber),
        (select count(*) from uploads.uploads u where u.bucket_number = :bucketNumber)
    ) counted (folders, uploads)
    left join uploads.bucket_sizes s on s.bucket_id = :bucketId
    where (s.folders, s.uploads) is distinct from (counted.folders, counted.uploads)`,
    { bucketId, bucketNumber },
  );
  return rows.map(({ got, need }) => `: got ${got}, need ${need}`);
};
