import sql, { join } from "sql-template-tag";
import { listConditions, uploadOrder } from "../../search/upload-list.ts";
import { type Bound, type ListPlan, limitTo, noParts, type PageOfList } from "./list-plan.ts";
import { goesBeyond, startConditions } from "./sort-index.ts";

/**
 * Looks at the rows of the bucket, or of the one folder, in the order of the list. Right for lists
 * that hold nearly all of them.
 */
export function directPlan(place: PageOfList, bound: Bound): ListPlan {
  const { list, scope } = place;
  const order = uploadOrder(list.query);
  return {
    with: noParts,
    from: sql`(
      select u.* from uploads.uploads u where ${startConditions(place)}
      order by ${order} ${limitTo(bound)}) u`,
    where: join(listConditions(list, scope), " and "),
    orderBy: order,
    isCut: goesBeyond(place, bound),
    prepared: bound !== undefined,
  };
}
