import sql, { join } from "sql-template-tag";
import type { Run } from "../postgres/database.ts";
import { keptPieces, orderColumns, readPieceZones, rowsOfZones } from "../search/skip-index.ts";

/** To look for the zones of so many uploads takes less than to read all zones. */
const fewMax = 1000;

/**
 * Adds the staged uploads, as they are written by now, to the zones of their buckets, which the
 * import has locked.
 */
export async function addToZones(run: Run): Promise<void> {
  const buckets = await run<{ bucket_id: string; count: number }>(sql`
    select bucket_id, count(*)::float8 as count from staged_uploads
    where bucket_id in (select bucket_id from uploads.skip_index_buckets) group by bucket_id`);
  const merged = join(orderColumns.map((order) => sql`p.${order} | n.${order}`));
  const kept = join(orderColumns.map((order) => sql`p.${order}`));
  for (const { bucket_id: bucketId, count } of buckets) {
    const added = await readPieceZones(run, {
      bucketId,
      pieces: await keptPieces(run, bucketId),
      uploads: sql`u.upload_id in (
        select s.upload_id from staged_uploads s where s.bucket_id = ${bucketId})`,
      areMany: count > fewMax,
    });
    for (const rows of rowsOfZones(added)) {
      await run(sql`
        update uploads.skip_index_bitmaps p set (${join(orderColumns)}) = (${merged})
        from ${rows} n
        where p.bucket_id = ${bucketId} and p.n_gram = n.n_gram and p.part = n.part
          and (${merged}) <> (${kept})`);
    }
  }
}
