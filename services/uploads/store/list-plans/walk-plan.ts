import sql, { join, raw } from "sql-template-tag";
import { listConditions, sortColumn, uploadOrder } from "../upload-list.ts";
import { facetColumns, mayBelong } from "./facet-conditions.ts";
import { type Bound, type ListPlan, limitTo, type PageOfList, uploadsOf } from "./list-plan.ts";
import { startConditions } from "./sort-index.ts";

/**
 * Walks the index of the bucket, or of the one folder, that is in the order of the list, and looks
 * at the rows of what may belong to it. Right where that is not rare.
 */
export function walkPlan(place: PageOfList, bound: Bound): ListPlan {
  const { list, scope } = place;
  const { bucketId, query } = list;
  const direction = raw(query.sortOrder);
  // It is read no further than what follows asks for; what was read is counted without reading it
  // again.
  const walked = sql`walked as materialized (
    select u.upload_id, ${sortColumn(query)} as sort_key, ${facetColumns(query)}
    from uploads.uploads u where ${startConditions(place)}
    order by ${uploadOrder(query)} ${limitTo(bound)})`;
  const candidates = sql`(
    select u.upload_id, u.sort_key from walked u where ${mayBelong(list, scope)}
    order by u.sort_key ${direction}, u.upload_id ${direction})`;
  return {
    with: sql`with ${walked}`,
    from: uploadsOf(candidates, bucketId),
    where: join(listConditions(list, scope), " and "),
    orderBy: sql`c.sort_key ${direction}, c.upload_id ${direction}`,
    isCut: bound === undefined ? raw("false") : sql`(select count(*) from walked) >= ${bound}`,
    prepared: bound !== undefined,
  };
}
