import sql from "sql-template-tag";
import { createdConditions } from "../../search/upload-list.ts";
import type { ListPlan, PageOfList } from "./list-plan.ts";
import { type RangeBounds, rangePlan } from "./range-plan.ts";

/**
 * Reads a range of dates by its own index and sorts what may belong to the list. Right for lists in
 * another order whose range is short.
 */
export function datesPlan(place: PageOfList, bounds: RangeBounds): ListPlan {
  const conditions = createdConditions(place.list.query);
  return rangePlan(place, { conditions, orderBy: sql`u.created_at` }, bounds);
}
