import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { overlappingPieces } from "../../domain/name-pieces.ts";
import { isoOfMicros } from "../../domain/timestamps.ts";
import type { SortColumn, UploadQuery } from "../../domain/upload-query.ts";
import { listConditions, sortColumn, sortType, uploadOrder } from "../upload-list.ts";
import { facetColumns, mayBelong } from "./facet-conditions.ts";
import { type Bound, type ListPlan, limitTo, type PageOfList, uploadsOf } from "./list-plan.ts";
import { lastDate } from "./sort-index.ts";

/**
 * Walks over an order of the bucket as `walkPlan` does, but only over the zones in which all pieces
 * of the search stand somewhere (schema/0020). Right where much belongs to the list, but far from
 * its beginning.
 *
 * @param isCounted whether it is found out that the walk came to the end, as in `walkPlan`. Of a
 *   bucket with zones it is only where a date ends the list: what else has few entries is sooner
 *   gathered than counted.
 */
export function zoneWalkPlan(
  place: PageOfList,
  bound: Bound,
  { isCounted }: { readonly isCounted: boolean },
): ListPlan {
  const { list, scope } = place;
  const { bucketId, query } = list;
  const entries = sql`${stretches(place)} cross join lateral (
    select u.upload_id, ${facetColumns(query)} from uploads.uploads u
    where u.bucket_id = ${bucketId} and ${isBetween(place)}
    order by ${uploadOrder(query)} offset 0) w`;
  // The order of stretches is kept without sorting: what a stretch holds comes in order.
  const walked = sql`(
    select z.number, w.* from ${entries} order by z.number ${limitTo(bound)})`;
  const candidates = sql`(
    select u.number, u.upload_id from ${walked} u
    where ${mayBelong(list, scope)} order by u.number)`;
  return {
    with: empty,
    from: uploadsOf(candidates, bucketId),
    where: join(listConditions(list, scope), " and "),
    orderBy: sql`c.number`,
    isCut:
      isCounted && bound !== undefined
        ? sql`(${isSoonGathered(place)}
            or exists (select from ${entries} offset ${raw(`${bound}`)}))`
        : raw(`${bound !== undefined}`),
    prepared: true,
  };
}

function isSoonGathered({ list: { bucketId, query } }: PageOfList): Sql {
  if (lastDate(query).length > 0) return raw("false");
  return sql`exists (select from uploads.zoned_buckets where bucket_id = ${bucketId})`;
}

/** Whether zones tell anything of a list. */
export function hasPieces({ list: { query } }: PageOfList): boolean {
  return query.name !== undefined && overlappingPieces(query.name).length > 0;
}

/** Rows `z`: between which keys the pieces stand, numbered in the order of the list. */
function stretches({ list: { bucketId, query } }: PageOfList): Sql {
  const order = raw(`"${query.sortBy}"`);
  const pieces = query.name === undefined ? [] : overlappingPieces(query.name);
  return sql`uploads.zone_stretches(
    (select bit_and(${order}) from uploads.piece_zones
      where bucket_id = ${bucketId} and piece = any (${pieces}::text[])),
    (select ${order} from uploads.zoned_buckets where bucket_id = ${bucketId}),
    ${raw(String(query.sortOrder === "desc"))}
  ) with ordinality z (from_key, to_key, number)`;
}

// Each end is one comparison: of two, an index may begin at the one that is further away.
function isBetween(place: PageOfList): Sql {
  const { query } = place.list;
  const { key, uploadId } = beginning(place);
  const entry = sql`(${sortColumn(query)}, u.upload_id)`;
  const isAscending = query.sortOrder === "asc";
  // Where the list has not begun before the stretch, the stretch is what bounds it.
  const edge = raw(isAscending ? "z.from_key" : "z.to_key");
  const isBegun = isAscending ? sql`z.from_key > ${key}` : sql`z.to_key <= ${key}`;
  const start = sql`(case when ${isBegun} then ${edge} else ${key} end,
    case when ${isBegun} then '' else ${uploadId} end)`;
  const { least, greatest } = typedExtremes(query);
  const ends = isAscending
    ? sql`${entry} > ${start} and ${entry} < (coalesce(z.to_key, ${greatest}),
        case when z.to_key is null then ${beyondTexts} else '' end)`
    : sql`${entry} < ${start} and ${sortColumn(query)} >= coalesce(z.from_key, ${least})`;
  return join([ends, ...lastDate(query)], " and ");
}

/** The position that all uploads of the page are behind of. No upload has an empty ID. */
function beginning({ list: { query }, page: { after } }: PageOfList) {
  const { sortBy, sortOrder, createdFrom, createdTo } = query;
  const type = sortType(query);
  if (after !== undefined) {
    return { key: sql`${after.sortKey}::${type}`, uploadId: sql`${after.uploadId}` };
  }
  const { least, greatest } = typedExtremes(query);
  const [extreme, date, uploadId] =
    sortOrder === "asc"
      ? ([least, createdFrom, raw("''")] as const)
      : ([greatest, createdTo, beyondTexts] as const);
  if (sortBy !== "created_at" || date === undefined) return { key: extreme, uploadId };
  return { key: sql`${isoOfMicros(date)}::${type}`, uploadId };
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
