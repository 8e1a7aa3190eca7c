import sql, { empty, join, raw } from "sql-template-tag";
import { facetColumns, mayBelong } from "../../search/covering-conditions.ts";
import { listConditions, sortColumn, uploadOrder } from "../../search/upload-list.ts";
import { type Bound, type ListPlan, limitTo, type PageOfList, uploadsOf } from "./list-plan.ts";
import { startConditions } from "./sort-index.ts";

/**
 * Walks the index of the bucket, or of the one folder, that is in the order of the list, and looks
 * at the rows of what may belong to it. Right where that is not rare.
 *
 * @param isCounted whether it is found out that the walk came to the end. To count takes half as
 *   long as to walk; otherwise a page that is not full is always taken for cut.
 */
export function walkPlan(
  place: PageOfList,
  bound: Bound,
  { isCounted }: { readonly isCounted: boolean },
): ListPlan {
  const { list, scope } = place;
  const { bucketId, query } = list;
  const direction = raw(query.sortOrder);
  const walked = sql`(
    select u.upload_id, ${sortColumn(query)} as sort_key, ${facetColumns(query)}
    from uploads.uploads u where ${startConditions(place)}
    order by ${uploadOrder(query)} ${limitTo(bound)})`;
  // To order once more takes no sorting, and says that the order is kept.
  const candidates = sql`(
    select u.upload_id, u.sort_key from ${isCounted ? raw("walked") : walked} u
    where ${mayBelong(list, scope)} order by u.sort_key ${direction}, u.upload_id ${direction})`;
  return {
    // It is read no further than the page asks for; the rest is read to be counted.
    with: isCounted ? sql`with walked as materialized ${walked}` : empty,
    from: uploadsOf(candidates, bucketId),
    where: join(listConditions(list, scope), " and "),
    orderBy: sql`c.sort_key ${direction}, c.upload_id ${direction}`,
    isCut: isCounted
      ? sql`(select count(*) from walked) >= ${bound}`
      : raw(`${bound !== undefined}`),
    prepared: bound !== undefined,
  };
}
