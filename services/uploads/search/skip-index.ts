/** The zones in which pieces of names stand (schema/0022), worked out from the uploads. */
import sql, { join, raw, type Sql } from "sql-template-tag";
import { type SortColumn, sortColumns } from "../model/upload-query.ts";
import type { Run } from "../postgres/database.ts";
import { type PieceBits, PieceZones, zonesPerPart } from "./n-gram-bitmaps.ts";
import { sortColumn } from "./upload-list.ts";

/** The orders, each as the column of its name. */
export const orderColumns: readonly Sql[] = sortColumns.map((sortBy) => raw(`"${sortBy}"`));

export interface PiecesOfUploads {
  readonly bucketId: string;
  readonly pieces: Iterable<string>;
  /** Which uploads `u` of the bucket. */
  readonly uploads: Sql;
  /** Whether these are so many that to look for the zone of each would take long. */
  readonly areMany: boolean;
}

const rowsPerFetch = 5000;

/** Where the pieces stand in the zones of a bucket that has some. Needs a transaction. */
export async function readPieceZones(
  run: Run,
  { bucketId, pieces, uploads, areMany }: PiecesOfUploads,
): Promise<PieceZones> {
  const zones = new PieceZones(pieces, sortColumns.length);
  const placed = sortColumns.map((sortBy) => {
    // Of texts, an array is gone through one by one.
    const placeOf = areMany && sortBy !== "filename" ? zoneAmongAll : zoneOf;
    return sql`${placeOf(sortBy, bucketId, sortColumn({ sortBy }))} as ${raw(`"${sortBy}"`)}`;
  });
  await run(sql`declare placed_uploads no scroll cursor for
    select u.filename_folded, nullif(u.slug_folded, u.filename_folded) as slug_folded,
      ${join(placed)}
    from uploads.uploads u where u.bucket_id = ${bucketId} and ${uploads}`);
  const fetch = () => run<PlacedUpload>(sql`fetch ${raw(`${rowsPerFetch}`)} from placed_uploads`);
  let fetched = fetch();
  for (let rows = await fetched; rows.length > 0; rows = await fetched) {
    // While these are put in their zones, the database looks for the next.
    fetched = fetch();
    for (const row of rows) {
      const { filename_folded: filename, slug_folded: slug } = row;
      const names = slug === null ? [filename] : [filename, slug];
      zones.add(
        names,
        sortColumns.map((sortBy) => row[sortBy]),
      );
    }
  }
  await run(sql`close placed_uploads`);
  return zones;
}

/** In each order the number of its zone. */
interface PlacedUpload extends Readonly<Record<SortColumn, number>> {
  readonly filename_folded: string;
  readonly slug_folded: string | null;
}

/** The number of the zone that a key is in; the first begins with the order. */
export function zoneOf(sortBy: SortColumn, bucketId: string, key: Sql): Sql {
  const start = raw(`z."${sortBy}"`);
  return sql`coalesce((
    select z.block from uploads.skip_index_blocks z
    where z.bucket_id = ${bucketId} and ${start} <= ${key}
    order by ${start} desc limit 1), 0)`;
}

// All of them are read first; then a zone is found in a tenth of the time.
function zoneAmongAll(sortBy: SortColumn, bucketId: string, key: Sql): Sql {
  const start = raw(`z."${sortBy}"`);
  return sql`width_bucket(${key}, array(
    select ${start} from uploads.skip_index_blocks z
    where z.bucket_id = ${bucketId} and ${start} is not null
    order by ${start}))`;
}

/** The pieces whose zones the bucket keeps. */
export async function keptPieces(run: Run, bucketId: string): Promise<string[]> {
  const rows = await run<{ n_gram: string }>(sql`
    select distinct n_gram from uploads.skip_index_bitmaps where bucket_id = ${bucketId}`);
  return rows.map(({ n_gram: nGram }) => nGram);
}

const partsPerStatement = 1000;

/**
 * The same as rows with the columns of `uploads.skip_index_bitmaps`,
 * but for the bucket, some at a time.
 */
export function* rowsOfZones(zones: PieceZones): Generator<Sql> {
  let some: PieceBits[] = [];
  for (const each of zones.entries()) {
    some.push(each);
    if (some.length < partsPerStatement) continue;
    yield rowsOf(some);
    some = [];
  }
  if (some.length > 0) yield rowsOf(some);
}

function rowsOf(some: readonly PieceBits[]): Sql {
  const orders = sortColumns.map((_, index) =>
    some.map(({ bits }) => `x${Buffer.from(bits[index] ?? []).toString("hex")}`),
  );
  const cast = orderColumns.map((order) => sql`${order}::${bitsOfPart} as ${order}`);
  return sql`(
    select part, n_gram, ${join(cast)}
    from unnest(${some.map(({ part }) => part)}::integer[],
      ${some.map(({ piece }) => piece)}::text[],
      ${join(orders.map((order) => sql`${order}::text[]`))})
      as given (part, n_gram, ${join(orderColumns)}))`;
}

/** How many zones a part has. */
export const zonesInPart = raw(`${zonesPerPart}`);

/** The type of their bits. */
export const bitsOfPart = raw(`bit(${zonesPerPart})`);
