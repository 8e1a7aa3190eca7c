import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { overlappingPieces } from "../../model/n-grams.ts";
import { isoOfMicros, type Microseconds } from "../../model/timestamps.ts";
import type { SortColumn, UploadQuery } from "../../model/upload-query.ts";
import { facetColumns, mayBelong } from "../../search/covering-conditions.ts";
import { bitsOfPart, zonesInPart as inPart, zoneOf } from "../../search/skip-index.ts";
import { listConditions, sortColumn, sortType, uploadOrder } from "../../search/upload-list.ts";
import { type Bound, type ListPlan, limitTo, type PageOfList, uploadsOf } from "./list-plan.ts";
import { lastDate } from "./sort-index.ts";

/**
 * Walks over an order of the bucket as `walkPlan` does, but only over the zones in which all pieces
 * of the search stand somewhere (schema/0022). Right where much belongs to the list, but far from
 * its beginning.
 *
 * @param isCounted whether it is found out that the walk came to the end, as in `walkPlan`. Of a
 *   bucket with zones it is only where a date ends the list: what else has few entries is sooner
 *   gathered than counted, and what is rare in the bucket is not even walked for.
 */
export function zoneWalkPlan(
  place: PageOfList,
  bound: Bound,
  { isCounted }: { readonly isCounted: boolean },
): ListPlan {
  const { list, scope } = place;
  const { bucketId, query } = list;
  const isEnded = lastDate(query).length > 0;
  const zonesMax = bound === undefined ? undefined : Math.ceil(bound / entriesPerZoneMin);
  const isTried =
    isCounted && bound !== undefined && !isEnded
      ? sql`(not ${hasZones(bucketId)} or ${areKept(bucketId, piecesOf(query))})`
      : raw("true");
  const entries = sql`
    unnest(${zonesOf(place, zonesMax)}) with ordinality numbered (zone, number)
    cross join lateral ${edgesOf(place)} z
    cross join lateral (
      select u.upload_id, ${facetColumns(query)} from uploads.uploads u
      where u.bucket_id = ${bucketId} and ${isBetween(place)}
      order by ${uploadOrder(query)} offset 0) w
    where ${isTried}`;
  // The order of zones is kept without sorting: what a zone holds comes in order.
  const walked = sql`(
    select numbered.number, w.* from ${entries} order by numbered.number ${limitTo(bound)})`;
  const candidates = sql`(
    select u.number, u.upload_id from ${walked} u
    where ${mayBelong(list, scope)} order by u.number)`;
  const goesBeyond =
    bound === undefined
      ? raw("false")
      : sql`(cardinality(${zonesOf(place, zonesMax && zonesMax + 1)}) > ${zonesMax}
          or exists (select from ${entries} offset ${raw(`${bound}`)}))`;
  return {
    with: empty,
    from: uploadsOf(candidates, bucketId),
    where: join(listConditions(list, scope), " and "),
    orderBy: sql`c.number`,
    isCut: isCounted
      ? sql`(${isEnded ? raw("false") : hasZones(bucketId)} or ${goesBeyond})`
      : raw(`${bound !== undefined}`),
    prepared: true,
  };
}

/** A bounded walk passes over no more zones than there may be with so few entries each. */
const entriesPerZoneMin = 64;

/** Whether zones tell anything of a list. */
export function hasPieces({ list: { query } }: PageOfList): boolean {
  return piecesOf(query).length > 0;
}

/** More say hardly more. */
const piecesMax = 16;

/** The pieces that stand in every match, of many some from all over the text. */
function piecesOf({ name }: UploadQuery): string[] {
  const pieces = name === undefined ? [] : overlappingPieces(name);
  const step = Math.max(pieces.length / piecesMax, 1);
  return pieces.filter((_, index) => index % step < 1);
}

function hasZones(bucketId: string): Sql {
  return sql`exists (
    select from uploads.skip_index_blocks where bucket_id = ${bucketId} and block = 0)`;
}

/** Whether the zones of all pieces are kept: none of them is rare. */
function areKept(bucketId: string, pieces: readonly string[]): Sql {
  return sql`(select count(*) from uploads.skip_index_bitmaps
    where bucket_id = ${bucketId} and part = 0 and n_gram = any (${pieces}::text[])
  ) = ${pieces.length}::bigint`;
}

/**
 * The numbers of the zones in which the pieces may stand, as an array in the order of the list: a
 * null where the bucket has none. Parts are read one after the other, as far as needed.
 */
function zonesOf(place: PageOfList, zonesMax: number | undefined): Sql {
  const { bucketId, query } = place.list;
  const { first, last } = outerZones(place);
  const direction = raw(query.sortOrder);
  const parts =
    query.sortOrder === "asc"
      ? sql`generate_series(${first} / ${inPart}, ${last} / ${inPart})`
      : sql`generate_series(${last} / ${inPart}, ${first} / ${inPart}, -1)`;
  // A missing bit says "perhaps".
  return sql`case when ${hasZones(bucketId)} then array(
    select z.block from ${parts} with ordinality parts (part, number)
    cross join lateral (
      select bit_and(p.${raw(`"${query.sortBy}"`)}) as zones from uploads.skip_index_bitmaps p
      where p.bucket_id = ${bucketId} and p.part = parts.part
        and p.n_gram = any (${piecesOf(query)}::text[])) bits
    cross join lateral (
      select z.block from uploads.skip_index_blocks z
      where z.bucket_id = ${bucketId} and z.block >= parts.part * ${inPart}
        and z.block < (parts.part + 1) * ${inPart} and z.block >= ${first} and z.block <= ${last}
        and coalesce(get_bit(bits.zones, z.block % ${inPart}), 1) = 1
      order by z.block ${direction} offset 0) z
    where bits.zones is distinct from 0::${bitsOfPart}
    order by parts.number ${limitTo(zonesMax)}) else array[null::integer] end`;
}

/** Between which keys a zone is; null is no bound. */
function edgesOf({ list: { bucketId, query } }: PageOfList): Sql {
  const keyAt = (zone: Sql) => sql`(
    select ${raw(`z."${query.sortBy}"`)} from uploads.skip_index_blocks z
    where z.bucket_id = ${bucketId} and z.block = ${zone})`;
  return sql`(
    select ${keyAt(sql`numbered.zone`)} as from_key, ${keyAt(sql`numbered.zone + 1`)} as to_key
    offset 0)`;
}

/** The zones at either end of what is left of the list. */
function outerZones(place: PageOfList): { readonly first: Sql; readonly last: Sql } {
  const { bucketId, query } = place.list;
  const begins = zoneOf(query.sortBy, bucketId, beginning(place).key);
  const ends = zoneOf(query.sortBy, bucketId, endingKey(query));
  return query.sortOrder === "asc" ? { first: begins, last: ends } : { first: ends, last: begins };
}

// Each end is one comparison: of two, an index may begin at the one that is further away, and go on
// to it.
function isBetween(place: PageOfList): Sql {
  const { query } = place.list;
  const { key, uploadId } = beginning(place);
  const last = endingKey(query);
  const entry = sql`(${sortColumn(query)}, u.upload_id)`;
  // Where the list has not begun before the zone, the zone is what bounds it.
  if (query.sortOrder === "asc") {
    return sql`${entry} > (greatest(z.from_key, ${key}),
        case when z.from_key > ${key} then '' else ${uploadId} end)
      and ${entry} < (least(z.to_key, ${last}),
        case when z.to_key <= ${last} then '' else ${beyondTexts} end)`;
  }
  return sql`${entry} < (least(z.to_key, ${key}),
      case when z.to_key <= ${key} then '' else ${uploadId} end)
    and ${sortColumn(query)} >= greatest(z.from_key, ${last})`;
}

/** The position that all uploads of the page are behind of. No upload has an empty ID. */
function beginning({ list: { query }, page: { after } }: PageOfList) {
  if (after !== undefined) {
    return { key: sql`${after.sortKey}::${sortType(query)}`, uploadId: sql`${after.uploadId}` };
  }
  const { least, greatest } = typedExtremes(query);
  return query.sortOrder === "asc"
    ? { key: dateOr(least, query.createdFrom, query), uploadId: raw("''") }
    : { key: dateOr(greatest, query.createdTo, query), uploadId: beyondTexts };
}

/** The last key that the list may hold. */
function endingKey(query: UploadQuery): Sql {
  const { least, greatest } = typedExtremes(query);
  return query.sortOrder === "asc"
    ? dateOr(greatest, query.createdTo, query)
    : dateOr(least, query.createdFrom, query);
}

function dateOr(extreme: Sql, date: Microseconds | undefined, query: UploadQuery): Sql {
  if (query.sortBy !== "created_at" || date === undefined) return extreme;
  return sql`${isoOfMicros(date)}::timestamptz`;
}

function typedExtremes(query: UploadQuery) {
  const { least, greatest } = extremes[query.sortBy];
  const type = sortType(query);
  return { least: sql`${least}::${type}`, greatest: sql`${greatest}::${type}` };
}

/** Longer than names and IDs can be, of the last character that there is. */
const beyondTexts = raw("repeat(chr(1114111), 300)");

const extremes: Record<SortColumn, { readonly least: Sql; readonly greatest: Sql }> = {
  created_at: { least: raw("'-infinity'"), greatest: raw("'infinity'") },
  updated_at: { least: raw("'-infinity'"), greatest: raw("'infinity'") },
  filename: { least: raw("''"), greatest: beyondTexts },
  size_bytes: {
    least: raw("'-9223372036854775808'"),
    greatest: raw("'9223372036854775807'"),
  },
  order: { least: raw("'-2147483648'"), greatest: raw("'2147483647'") },
};
