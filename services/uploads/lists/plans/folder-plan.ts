import sql from "sql-template-tag";
import type { ListPlan, PageOfList } from "./list-plan.ts";
import { type RangeBounds, rangePlan } from "./range-plan.ts";

/**
 * Reads a folder by the one of its indexes that tells what uploads are filtered by, and sorts what
 * may belong to the list. Right where little of a large folder does.
 */
export function folderPlan(place: PageOfList, folder: string, bounds: RangeBounds): ListPlan {
  const conditions = [sql`u.folder_key = ${folder}`];
  return rangePlan(place, { conditions, orderBy: sql`u.filename` }, bounds);
}
