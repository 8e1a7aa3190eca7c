/** Computes bitmaps from the uploads in the database, and passes them to statements as rows. */
import { type SortColumn, sortColumns } from "../model/upload-query.ts";
import type { NamedValues } from "../postgres/named-parameters.ts";
import { withoutMethods } from "../postgres/plan-settings.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { foldedFilename, foldedSlug } from "../search/name-conditions.ts";
import { bitsOfPart, blockOf } from "./layout.ts";
import { NGramBitmaps, type NGramPart } from "./n-gram-bitmaps.ts";

/** A list with an item for each order, of the column with its name. */
export function ofOrders(item: (column: string, sortBy: SortColumn) => string): string {
  return sortColumns.map((sortBy) => item(`"${sortBy}"`, sortBy)).join(", ");
}

export const orderColumns = ofOrders((column) => column);

interface UploadsToIndex {
  readonly bucketNumber: number;
  readonly nGrams: Iterable<string>;
  /** A condition on uploads `u` of `:bucketNumber`. Default: all. */
  readonly uploads?: string;
  /** Whether there are so many that finding the block of each by an index would take long. */
  readonly areMany: boolean;
}

const rowsPerFetch = 5000;

/** Bitmaps of the uploads, for a bucket that has blocks. Needs a transaction. */
export async function readBitmaps(
  run: RunQuery,
  { bucketNumber, nGrams, uploads = "true", areMany }: UploadsToIndex,
): Promise<NGramBitmaps> {
  const bitmaps = new NGramBitmaps(nGrams, sortColumns.length);
  const blocks = ofOrders((column, sortBy) => {
    // In an array of texts, PostgreSQL searches linearly.
    const isInArray = areMany && sortBy !== "filename";
    return `${isInArray ? blockInArray(column) : blockOf(sortBy, `u.${column}`)} as ${column}`;
  });
  const declaration = `declare placed_uploads no scroll cursor for
    select ${foldedFilename} as folded_filename,
      ${foldedSlug} as folded_slug, ${blocks}
    from uploads.uploads u where u.bucket_number = :bucketNumber and ${uploads}`;
  // The planner has no statistics yet of the blocks of this bucket and expects none. It would read
  // and sort all of them for each upload, instead of finding one by the index of their order.
  await withoutMethods(run, ["sort"], () => run(declaration, { bucketNumber }));
  const fetch = () => run<PlacedUpload>(`fetch ${rowsPerFetch} from placed_uploads`);
  let fetched = fetch();
  for (let rows = await fetched; rows.length > 0; rows = await fetched) {
    // The database finds the next rows while these are added.
    fetched = fetch();
    for (const row of rows) {
      const { folded_filename: filename, folded_slug: slug } = row;
      const names = slug === null ? [filename] : [filename, slug];
      bitmaps.add(
        names,
        sortColumns.map((sortBy) => row[sortBy]),
      );
    }
  }
  await run("close placed_uploads");
  return bitmaps;
}

/** An upload with the number of its block in each order. */
interface PlacedUpload extends Readonly<Record<SortColumn, number>> {
  readonly folded_filename: string;
  /** Null: the same. */
  readonly folded_slug: string | null;
}

// Takes a tenth of the time of `blockOf` for each upload, but reads all blocks first.
function blockInArray(column: string): string {
  return `width_bucket(u.${column}, array(
    select s.${column} from uploads.skip_index_blocks s
    where s.bucket_number = :bucketNumber and s.${column} is not null
    order by s.${column}))`;
}

/** The n-grams that the bucket has bitmaps of. */
export async function nGramsWithBitmaps(run: RunQuery, bucketNumber: number): Promise<string[]> {
  const rows = await run<{ n_gram: string }>(
    "select distinct n_gram from uploads.skip_index_bitmaps where bucket_number = :bucketNumber",
    { bucketNumber },
  );
  return rows.map(({ n_gram: nGram }) => nGram);
}

/**
 * A subquery for bitmaps as rows with the columns of `uploads.skip_index_bitmaps`, without the
 * bucket. A statement gets some of them as parameters.
 */
export const bitmapRows = `(
  select part, n_gram, ${ofOrders((column) => `${column}::${bitsOfPart} as ${column}`)}
  from unnest(:parts::integer[], :nGrams::text[], ${ofOrders((_, sortBy) => `:${sortBy}::text[]`)})
    as given (part, n_gram, ${orderColumns}))`;

const rowsPerStatement = 1000;

/** The parameters of `bitmapRows`, for one statement after the other. */
export function* bitmapParameters(bitmaps: NGramBitmaps): Generator<NamedValues> {
  let parts: NGramPart[] = [];
  for (const part of bitmaps.parts()) {
    parts.push(part);
    if (parts.length < rowsPerStatement) continue;
    yield parametersOf(parts);
    parts = [];
  }
  if (parts.length > 0) yield parametersOf(parts);
}

function parametersOf(parts: readonly NGramPart[]): NamedValues {
  const ofOrder = (index: number) =>
    parts.map(({ bitmaps }) => `x${Buffer.from(bitmaps[index] ?? []).toString("hex")}`);
  return {
    parts: parts.map(({ part }) => part),
    nGrams: parts.map(({ nGram }) => nGram),
    ...Object.fromEntries(sortColumns.map((sortBy, index) => [sortBy, ofOrder(index)])),
  };
}
