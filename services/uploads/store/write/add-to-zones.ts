import sql, { join } from "sql-template-tag";
import type { Run } from "../database.ts";
import { keptPieces, orderColumns, readPieceZones, rowsOfZones } from "../piece-zones.ts";

/**
 * Adds the staged uploads, as they are written by now, to the zones of their buckets, which the
 * import has locked.
 */
export async function addToZones(run: Run): Promise<void> {
  const buckets = await run<{ bucket_id: string }>(sql`
    select bucket_id from uploads.zoned_buckets
    where bucket_id in (select bucket_id from staged_uploads)`);
  for (const { bucket_id: bucketId } of buckets) {
    const added = await readPieceZones(run, {
      bucketId,
      pieces: await keptPieces(run, bucketId),
      uploads: sql`u.upload_id in (
        select s.upload_id from staged_uploads s where s.bucket_id = ${bucketId})`,
    });
    const merged = join(orderColumns.map((order) => sql`p.${order} | n.${order}`));
    const kept = join(orderColumns.map((order) => sql`p.${order}`));
    await run(sql`
      update uploads.piece_zones p set (${join(orderColumns)}) = (${merged})
      from ${rowsOfZones(added)} n
      where p.bucket_id = ${bucketId} and p.piece = n.piece and (${merged}) <> (${kept})`);
  }
}
