import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { overlappingPieces } from "../../domain/name-pieces.ts";
import type { SortColumn } from "../../domain/upload-query.ts";
import { listConditions, sortColumn, sortType, uploadOrder } from "../upload-list.ts";
import { facetColumns, mayBelong } from "./facet-conditions.ts";
import { type Bound, type ListPlan, limitTo, type PageOfList, uploadsOf } from "./list-plan.ts";
import { datesAhead } from "./sort-index.ts";

/**
 * Walks over an order of the bucket as `walkPlan` does, but only over the zones in which all pieces
 * of the search stand somewhere (schema/0020). Right where much belongs to the list, but far from
 * its beginning.
 *
 * @param isCounted whether it is found out that the walk came to the end, as in `walkPlan`. Of a
 *   bucket with zones it never is: what has few entries is sooner gathered than counted.
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
    isCut: isCounted
      ? sql`(exists (select from uploads.zoned_buckets where bucket_id = ${bucketId})
          or exists (select from ${entries} offset ${raw(`${bound}`)}))`
      : raw(`${bound !== undefined}`),
    prepared: true,
  };
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

// Each end is one comparison: of two, an index may begin at the one that is further away. No bound
// is the least value, or one beyond all others.
function isBetween(place: PageOfList): Sql {
  const { after } = place.page;
  const { sortBy, sortOrder } = place.list.query;
  const key = sortColumn({ sortBy });
  const type = sortType({ sortBy });
  const { least, greatest } = extremes[sortBy];
  let first = sql`${key} >= coalesce(z.from_key, ${least}::${type})`;
  let beyond = sql`(coalesce(z.to_key, ${greatest}::${type}),
    case when z.to_key is null then ${beyondTexts} else '' end)`;
  if (after !== undefined) {
    const last = sql`${after.sortKey}::${type}`;
    const starts = sortOrder === "asc" ? sql`z.from_key > ${last}` : sql`z.to_key <= ${last}`;
    const bound = sortOrder === "asc" ? sql`z.from_key` : sql`z.to_key`;
    const from = sql`(case when ${starts} then ${bound} else ${last} end,
      case when ${starts} then '' else ${after.uploadId} end)`;
    if (sortOrder === "asc") first = sql`(${key}, u.upload_id) > ${from}`;
    else beyond = from;
  }
  return join([first, sql`(${key}, u.upload_id) < ${beyond}`, ...datesAhead(place)], " and ");
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
