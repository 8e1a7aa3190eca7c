import sql, { join, type Sql } from "sql-template-tag";
import type { Run } from "../postgres/database.ts";
import { piecesOf, zonesPerPart } from "../search/n-gram-bitmaps.ts";
import {
  bitsOfPart,
  orderColumns,
  readPieceZones,
  rowsOfZones,
  zonesInPart,
} from "../search/skip-index.ts";

/** How many uploads are in a zone, about: few, since of those that are found there may be one. */
const uploadsPerZone = 256;
/** For larger buckets, zones are larger: with the most pieces, the bits of all take 320 MiB. */
const zonesMax = 64 * zonesPerPart;
/** Of more, the commonest are kept. */
const piecesMax = 8192;

const sampledPerZone = 4;
const sampleMin = 20_000;
/** Of the sample: rarer pieces find so little that it can be gathered. */
const commonFrom = 0.001;

/**
 * Makes the zones of a bucket, in a transaction that keeps others from writing there. The bucket is
 * read twice: some uploads show where to cut and which pieces are common, and then each is put in
 * its zones.
 *
 * @param uploads in the bucket, about.
 * @param zoneCount zones of an order; fewer where many keys are equal.
 */
export async function makeZones(
  run: Run,
  bucketId: string,
  uploads: number,
  zoneCount: number = Math.min(Math.ceil(uploads / uploadsPerZone), zonesMax),
): Promise<void> {
  await run(sql`delete from uploads.skip_index_buckets where bucket_id = ${bucketId}`);
  await run(sql`insert into uploads.skip_index_buckets (bucket_id, uploads)
    values (${bucketId}, ${uploads})`);
  const sampleSize = Math.max(sampledPerZone * zoneCount, sampleMin);
  const sample = await run<SampledNames>(sql`
    with sampled as materialized (
      select u.filename_folded, u.slug_folded, ${join(orderColumns.map((order) => sql`u.${order}`))}
      from uploads.uploads u
      where u.bucket_id = ${bucketId} and random() < ${sampleSize / uploads}::float8),
    made as (
      insert into uploads.skip_index_blocks (bucket_id, ${join(orderColumns)}, block)
      select ${bucketId}, ${join(orderColumns)}, number - 1
      from unnest(${join(orderColumns.map((order) => startsIn(order, zoneCount)))})
        with ordinality as starts (${join(orderColumns)}, number))
    select filename_folded, slug_folded from sampled`);
  const zones = await readPieceZones(run, {
    bucketId,
    pieces: commonPieces(sample),
    uploads: sql`true`,
    areMany: true,
  });
  for (const rows of rowsOfZones(zones)) {
    await run(sql`
      insert into uploads.skip_index_bitmaps (bucket_id, part, n_gram, ${join(orderColumns)})
      select ${bucketId}, n.* from ${rows} n`);
  }
  await run(addEmptyParts(bucketId));
}

interface SampledNames {
  readonly filename_folded: string;
  readonly slug_folded: string;
}

// The first zone begins with the order. Where many keys are equal, zones are fewer.
function startsIn(order: Sql, zoneCount: number): Sql {
  return sql`array(
    select null union
    select unnest((
      select percentile_disc(array(
        select number / ${zoneCount}::float8
        from generate_series(1, ${zoneCount - 1}::integer) number)) within group (order by ${order})
      from sampled))
    order by 1 nulls first)`;
}

// A row that is missing says nothing; an empty one, that the piece stands nowhere in the part.
function addEmptyParts(bucketId: string): Sql {
  const none = orderColumns.map(() => sql`0::${bitsOfPart}`);
  return sql`
    insert into uploads.skip_index_bitmaps (bucket_id, part, n_gram, ${join(orderColumns)})
    select ${bucketId}, part, n_gram, ${join(none)}
    from (
      select distinct n_gram from uploads.skip_index_bitmaps where bucket_id = ${bucketId}) pieces
    cross join (
      select distinct block / ${zonesInPart} as part
      from uploads.skip_index_blocks where bucket_id = ${bucketId}) parts
    on conflict do nothing`;
}

function commonPieces(sample: readonly SampledNames[]): string[] {
  const counts = new Map<string, number>();
  for (const { filename_folded: filename, slug_folded: slug } of sample) {
    const pieces =
      slug === filename ? piecesOf(filename) : piecesOf(filename).union(piecesOf(slug));
    for (const piece of pieces) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  }
  const least = sample.length * commonFrom;
  const common = [...counts].filter(([, count]) => count >= least);
  const commonestFirst = common.toSorted(([, one], [, other]) => other - one);
  return commonestFirst.slice(0, piecesMax).map(([piece]) => piece);
}
