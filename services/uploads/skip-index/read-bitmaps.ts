/** Bitmaps computed from the uploads in the database, and as rows to write or compare. */
import sql, { join, raw, type Sql } from "sql-template-tag";
import { type SortColumn, sortColumns } from "../model/upload-query.ts";
import { bindParameters } from "../postgres/named-parameters.ts";
import { withoutMethods } from "../postgres/plan-settings.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { blockOf, bitsOfPart as typeOfPart } from "./layout.ts";
import { NGramBitmaps, type NGramPart } from "./n-gram-bitmaps.ts";

/** The orders, each as the column with its name. */
export const orderColumns: readonly Sql[] = sortColumns.map((sortBy) => raw(`"${sortBy}"`));

export const bitsOfPart: Sql = raw(typeOfPart);

interface UploadsToIndex {
  readonly bucketId: string;
  readonly nGrams: Iterable<string>;
  /** A condition on uploads `u` of the bucket. */
  readonly uploads: Sql;
  /** Whether there are so many that finding the block of each by an index would take long. */
  readonly areMany: boolean;
}

const rowsPerFetch = 5000;

/** Bitmaps of the uploads, for a bucket that has blocks. Needs a transaction. */
export async function readBitmaps(
  run: RunQuery,
  { bucketId, nGrams, uploads, areMany }: UploadsToIndex,
): Promise<NGramBitmaps> {
  const bitmaps = new NGramBitmaps(nGrams, sortColumns.length);
  const blocks = sortColumns.map((sortBy) => {
    // In an array of texts, PostgreSQL searches linearly.
    const block = areMany && sortBy !== "filename" ? blockInArray : blockByIndex;
    return sql`${block(sortBy, bucketId)} as ${raw(`"${sortBy}"`)}`;
  });
  const declaration = sql`declare placed_uploads no scroll cursor for
    select u.filename_folded, nullif(u.slug_folded, u.filename_folded) as slug_folded,
      ${join(blocks)}
    from uploads.uploads u where u.bucket_id = ${bucketId} and ${uploads}`;
  // The planner has no statistics yet of the blocks of this bucket. It would read and sort all of
  // them for each upload, believing that there are none, not find one by the index of their order.
  await withoutMethods(run, ["sort"], () => run(declaration));
  const fetch = () => run<PlacedUpload>(sql`fetch ${raw(`${rowsPerFetch}`)} from placed_uploads`);
  let fetched = fetch();
  for (let rows = await fetched; rows.length > 0; rows = await fetched) {
    // The database finds the next rows while these are added.
    fetched = fetch();
    for (const row of rows) {
      const { filename_folded: filename, slug_folded: slug } = row;
      const names = slug === null ? [filename] : [filename, slug];
      bitmaps.add(
        names,
        sortColumns.map((sortBy) => row[sortBy]),
      );
    }
  }
  await run(sql`close placed_uploads`);
  return bitmaps;
}

/** With the number of its block in each order. */
interface PlacedUpload extends Readonly<Record<SortColumn, number>> {
  readonly filename_folded: string;
  readonly slug_folded: string | null;
}

function blockByIndex(sortBy: SortColumn, bucketId: string): Sql {
  return bindParameters(blockOf(sortBy, `u."${sortBy}"`), { bucketId });
}

// Takes a tenth of the time for each upload, but reads all blocks first.
function blockInArray(sortBy: SortColumn, bucketId: string): Sql {
  const start = raw(`s."${sortBy}"`);
  return sql`width_bucket(${raw(`u."${sortBy}"`)}, array(
    select ${start} from uploads.skip_index_blocks s
    where s.bucket_id = ${bucketId} and ${start} is not null
    order by ${start}))`;
}

/** The n-grams that the bucket has bitmaps of. */
export async function nGramsWithBitmaps(run: RunQuery, bucketId: string): Promise<string[]> {
  const rows = await run<{ n_gram: string }>(sql`
    select distinct n_gram from uploads.skip_index_bitmaps where bucket_id = ${bucketId}`);
  return rows.map(({ n_gram: nGram }) => nGram);
}

const rowsPerStatement = 1000;

/**
 * The bitmaps as rows with the columns of `uploads.skip_index_bitmaps`, without the bucket; some in
 * each subquery.
 */
export function* bitmapRows(bitmaps: NGramBitmaps): Generator<Sql> {
  let parts: NGramPart[] = [];
  for (const part of bitmaps.parts()) {
    parts.push(part);
    if (parts.length < rowsPerStatement) continue;
    yield rowsOf(parts);
    parts = [];
  }
  if (parts.length > 0) yield rowsOf(parts);
}

function rowsOf(parts: readonly NGramPart[]): Sql {
  const orders = sortColumns.map((_, index) =>
    parts.map(({ bitmaps }) => `x${Buffer.from(bitmaps[index] ?? []).toString("hex")}`),
  );
  const cast = orderColumns.map((order) => sql`${order}::${bitsOfPart} as ${order}`);
  return sql`(
    select part, n_gram, ${join(cast)}
    from unnest(${parts.map(({ part }) => part)}::integer[],
      ${parts.map(({ nGram }) => nGram)}::text[],
      ${join(orders.map((order) => sql`${order}::text[]`))})
      as given (part, n_gram, ${join(orderColumns)}))`;
}
