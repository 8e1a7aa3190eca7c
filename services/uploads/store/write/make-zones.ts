import sql, { join, raw, type Sql } from "sql-template-tag";
import { piecesOf, zonesMax } from "../../domain/piece-zones.ts";
import type { Run } from "../database.ts";
import { orderColumns, readPieceZones, rowsOfZones } from "../piece-zones.ts";

const sampleSize = 20_000;
/** Of the sample: rarer pieces find so little that it can be gathered. */
const commonFrom = 0.001;

/**
 * Makes the zones of a bucket, in a transaction that keeps others from writing there. The bucket is
 * read twice: some uploads show where to cut and which pieces are common, and then each is put in
 * its zones.
 *
 * @param uploads in the bucket, about.
 */
export async function makeZones(run: Run, bucketId: string, uploads: number): Promise<void> {
  await run(sql`delete from uploads.zoned_buckets where bucket_id = ${bucketId}`);
  const sample = await run<SampledNames>(sql`
    with sampled as materialized (
      select u.filename_folded, u.slug_folded, ${join(orderColumns.map((order) => sql`u.${order}`))}
      from uploads.uploads u
      where u.bucket_id = ${bucketId} and random() < ${sampleSize / uploads}::float8),
    made as (
      insert into uploads.zoned_buckets (bucket_id, uploads, ${join(orderColumns)})
      select ${bucketId}, ${uploads}, ${join(orderColumns.map(startsIn))})
    select filename_folded, slug_folded from sampled`);
  const zones = await readPieceZones(run, {
    bucketId,
    pieces: commonPieces(sample),
    uploads: sql`true`,
  });
  await run(sql`
    insert into uploads.piece_zones (bucket_id, piece, ${join(orderColumns)})
    select ${bucketId}, n.* from ${rowsOfZones(zones)} n`);
}

interface SampledNames {
  readonly filename_folded: string;
  readonly slug_folded: string;
}

// Where many keys are equal, zones are fewer.
function startsIn(order: Sql): Sql {
  return sql`array(
    select distinct start from unnest((
      select percentile_disc(array(
        select number / ${raw(`${zonesMax}.0`)}::float8
        from generate_series(1, ${raw(`${zonesMax - 1}`)}) number)) within group (order by ${order})
      from sampled)) start
    order by start)`;
}

function commonPieces(sample: readonly SampledNames[]): string[] {
  const counts = new Map<string, number>();
  for (const { filename_folded: filename, slug_folded: slug } of sample) {
    const pieces = piecesOf(filename).union(piecesOf(slug));
    for (const piece of pieces) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  }
  const least = sample.length * commonFrom;
  return [...counts].filter(([, count]) => count >= least).map(([piece]) => piece);
}
