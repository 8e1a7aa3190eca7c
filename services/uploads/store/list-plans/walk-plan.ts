import sql, { join, raw } from "sql-template-tag";
import { listConditions, sortColumn, uploadOrder } from "../upload-list.ts";
import { facetColumns, mayBelong } from "./facet-conditions.ts";
import {
  type Bound,
  type ListPlan,
  limitTo,
  noParts,
  type PageOfList,
  uploadsOf,
} from "./list-plan.ts";
import { goesBeyond, startConditions } from "./sort-index.ts";

/**
 * Walks the bucket's index for the sort, which tells nearly everything, and looks at the rows of
 * what may belong to the list. Right where that is not rare.
 */
export function walkPlan(place: PageOfList, bound: Bound): ListPlan {
  const { list, scope } = place;
  const { bucketId, query } = list;
  const direction = raw(query.sortOrder);
  const walked = sql`
    select u.upload_id, ${sortColumn(query)} as sort_key, ${facetColumns}
    from uploads.uploads u where ${startConditions(place)}
    order by ${uploadOrder(query)} ${limitTo(bound)}`;
  const candidates = sql`(
    select u.upload_id, u.sort_key from (${walked}) u where ${mayBelong(list, scope)})`;
  return {
    with: noParts,
    from: uploadsOf(candidates, bucketId),
    where: join(listConditions(list, scope), " and "),
    orderBy: sql`c.sort_key ${direction}, c.upload_id ${direction}`,
    isCut: goesBeyond(place, bound),
    prepared: bound !== undefined,
  };
}
