/** Builds the skip index of a large bucket (schema/0007-skip-index.sql), and keeps it current. */
import { nGramLength } from "../model/n-grams.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { foldedFilename, foldedSlug } from "../search/name-conditions.ts";
import { bitsOfPart, blocksPerPart } from "./layout.ts";
import { nGramsOfName } from "./n-grams-of-names.ts";
import {
  bitmapParameters,
  bitmapRows,
  nGramsWithBitmaps,
  ofOrders,
  orderColumns,
  readBitmaps,
} from "./read-bitmaps.ts";

/** Smaller buckets get no skip index, because scanning them is fast. */
const uploadsMin = 50_000;
/** A scan reads whole blocks, of which few uploads may match. So blocks are small. */
const uploadsPerBlock = 256;
/** Larger buckets have larger blocks: with all n-grams, the bitmaps then take 320 MiB. */
const blocksMax = 64 * blocksPerPart;
/** The most common of the n-grams below are indexed. */
const nGramsMax = 8192;

const sampledPerBlock = 4;
const sampleMin = 20_000;
/**
 * As a share of the sample. Rarer n-grams of three characters find so little that an index fetch is
 * faster. The index of names does not find all shorter ones, so of these all that the sample has
 * are indexed, and in any case each character of ASCII.
 */
const commonFrom = 0.001;
/** The printable characters of ASCII that folded names have. */
const ascii = [...` !"#$%&'()*+,-.0123456789:;<=>?@[\\]^_\`abcdefghijklmnopqrstuvwxyz{|}~`];

/** Up to this many uploads, finding their blocks by an index is faster than reading all blocks. */
const fewUploads = 1000;

/**
 * Adds new and changed uploads to the skip indexes of their buckets, which must be locked.
 *
 * @param written a subquery for the `bucket_number` and `upload_id` of these uploads.
 */
export async function addToSkipIndex(run: RunQuery, written: string): Promise<void> {
  const buckets = await run<{ bucket_number: number; count: number }>(`
    select bucket_number, count(*)::float8 as count from ${written} w
    where bucket_number in (select bucket_number from uploads.skip_index_buckets)
    group by bucket_number`);
  for (const { bucket_number: bucketNumber, count } of buckets) {
    const added = await readBitmaps(run, {
      bucketNumber,
      nGrams: await nGramsWithBitmaps(run, bucketNumber),
      uploads: `u.upload_id in (
        select w.upload_id from ${written} w where w.bucket_number = :bucketNumber)`,
      areMany: count > fewUploads,
    });
    for (const rows of bitmapParameters(added)) await run(addBits, { bucketNumber, ...rows });
  }
}

const merged = ofOrders((column) => `p.${column} | n.${column}`);

const addBits = `
  update uploads.skip_index_bitmaps p set (${orderColumns}) = (${merged})
  from ${bitmapRows} n
  where p.bucket_number = :bucketNumber and p.n_gram = n.n_gram and p.part = n.part
    and (${merged}) <> (${ofOrders((column) => `p.${column}`)})`;

/**
 * Builds the skip indexes of large buckets that have none, and of buckets that have twice as many
 * uploads as when theirs was built. Other imports into these buckets wait; readers do not.
 */
export async function rebuildOutgrownSkipIndexes(
  run: RunQuery,
  bucketIds: readonly string[],
): Promise<void> {
  // Another import may build them while this one waits for the locks.
  await run(findOutgrown, { bucketIds });
  const buckets = await run<{ bucket_number: number; uploads: string }>(findOutgrown, {
    bucketIds,
  });
  for (const { bucket_number: bucketNumber, uploads } of buckets) {
    await buildSkipIndex(run, bucketNumber, Number(uploads));
  }
  // Otherwise the planner would not know of the new rows, and every search would read them all.
  if (buckets.length > 0) {
    await run("analyze uploads.skip_index_blocks, uploads.skip_index_bitmaps");
  }
}

const findOutgrown = `
  select b.bucket_number, s.uploads from uploads.buckets b
  join uploads.bucket_sizes s using (bucket_id)
  left join uploads.skip_index_buckets z using (bucket_number)
  where b.bucket_id = any(:bucketIds::uuid[])
    and s.uploads >= greatest(${uploadsMin}, 2 * coalesce(z.uploads, 0))
  order by b.bucket_id for update of b`;

/**
 * Builds the skip index of a bucket, in a transaction in which nothing else writes to the bucket. A
 * sample of the uploads gives the first keys of the blocks and the common n-grams. Then all uploads
 * are read.
 *
 * @param uploads about how many the bucket has.
 * @param blockCount blocks of an order; it has fewer if many keys are equal.
 */
export async function buildSkipIndex(
  run: RunQuery,
  bucketNumber: number,
  uploads: number,
  blockCount: number = Math.min(Math.ceil(uploads / uploadsPerBlock), blocksMax),
): Promise<void> {
  await run("delete from uploads.skip_index_buckets where bucket_number = :bucketNumber", {
    bucketNumber,
  });
  await run("insert into uploads.skip_index_buckets values (:bucketNumber, :uploads)", {
    bucketNumber,
    uploads,
  });
  const sampleSize = Math.max(sampledPerBlock * blockCount, sampleMin);
  const share = sampleSize / uploads;
  const sample = await run<SampledNames>(makeBlocks, { bucketNumber, share, blockCount });
  const nGrams = nGramsToIndex(sample);
  const bitmaps = await readBitmaps(run, { bucketNumber, nGrams, areMany: true });
  for (const rows of bitmapParameters(bitmaps)) await run(addBitmaps, { bucketNumber, ...rows });
  await run(addEmptyParts, { bucketNumber, nGrams });
}

interface SampledNames {
  readonly folded_filename: string;
  /** Null: the same. */
  readonly folded_slug: string | null;
}

// The first block has no lower bound: its key is null.
const firstKeys = (column: string) => `array(
  select null union
  select unnest((
    select percentile_disc(array(
      select number / :blockCount::float8
      from generate_series(1, :blockCount::integer - 1) number))
      within group (order by ${column})
    from sampled))
  order by 1 nulls first)`;

const makeBlocks = `
  with sampled as materialized (
    select ${foldedFilename} as folded_filename, ${foldedSlug} as folded_slug,
      ${ofOrders((column) => `u.${column}`)}
    from uploads.uploads u
    where u.bucket_number = :bucketNumber and random() < :share::float8),
  made as (
    insert into uploads.skip_index_blocks (bucket_number, ${orderColumns}, block)
    select :bucketNumber, ${orderColumns}, number - 1
    from unnest(${ofOrders(firstKeys)}) with ordinality as starts (${orderColumns}, number))
  select folded_filename, folded_slug from sampled`;

const addBitmaps = `
  insert into uploads.skip_index_bitmaps (bucket_number, part, n_gram, ${orderColumns})
  select :bucketNumber, n.* from ${bitmapRows} n`;

// Without a row, the n-gram may be anywhere. An empty bitmap means that it occurs nowhere.
const addEmptyParts = `
  insert into uploads.skip_index_bitmaps (bucket_number, part, n_gram, ${orderColumns})
  select :bucketNumber, part, n_gram, ${ofOrders(() => `0::${bitsOfPart}`)}
  from unnest(:nGrams::text[]) as n_gram
  cross join (
    select distinct block / ${blocksPerPart} as part
    from uploads.skip_index_blocks where bucket_number = :bucketNumber) parts
  on conflict do nothing`;

function nGramsToIndex(sample: readonly SampledNames[]): string[] {
  const counts = new Map<string, number>();
  for (const { folded_filename: filename, folded_slug: slug } of sample) {
    const nGrams =
      slug === null ? nGramsOfName(filename) : nGramsOfName(filename).union(nGramsOfName(slug));
    for (const nGram of nGrams) counts.set(nGram, (counts.get(nGram) ?? 0) + 1);
  }
  const least = sample.length * commonFrom;
  const indexed = [...counts].filter(
    ([nGram, count]) => count >= least || [...nGram].length < nGramLength,
  );
  const commonestFirst = indexed.toSorted(([, one], [, other]) => other - one);
  return [...new Set([...ascii, ...commonestFirst.map(([nGram]) => nGram)])].slice(0, nGramsMax);
}
