import sql, { raw } from "sql-template-tag";
import type { Run } from "../postgres/database.ts";
import { makeZones } from "./make-zones.ts";

/** A bucket with fewer uploads is soon walked over. */
const zonedFrom = 50_000;

/**
 * Makes the zones anew of buckets of the import that have none though they are large, or that have
 * twice as many uploads as when theirs were made. Meanwhile other imports into such a bucket wait;
 * readers do not.
 */
export async function renewZones(run: Run): Promise<void> {
  // Another import may make them while this one waits for the locks.
  await run(outgrown);
  const buckets = await run<{ bucket_id: string; uploads: string }>(outgrown);
  for (const { bucket_id: bucketId, uploads } of buckets) {
    await makeZones(run, bucketId, Number(uploads));
  }
  // Every search reads them; until the server gets to it, the planner knows nothing of them.
  if (buckets.length > 0)
    await run(sql`analyze uploads.skip_index_blocks, uploads.skip_index_bitmaps`);
}

const outgrown = sql`
  select b.bucket_id, s.uploads from uploads.buckets b
  join uploads.bucket_sizes s using (bucket_id)
  left join uploads.skip_index_buckets z using (bucket_id)
  where b.bucket_id in (select bucket_id from staged_paths)
    and s.uploads >= greatest(${raw(`${zonedFrom}`)}, 2 * coalesce(z.uploads, 0))
  order by b.bucket_id for update of b`;
