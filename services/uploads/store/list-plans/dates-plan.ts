import sql, { join, raw } from "sql-template-tag";
import { afterConditions, createdConditions, listConditions, uploadOrder } from "../upload-list.ts";
import { facetColumns, mayBelong } from "./facet-conditions.ts";
import { type ListPlan, limitTo, type PageOfList, uploadsOf } from "./list-plan.ts";

/** How much of the range is read. */
export interface DatesBounds {
  /** Uploads created in the range. */
  readonly entries: number;
  /** Those of them that may belong to the list. */
  readonly uploads: number;
}

/**
 * Reads a range of dates by its own index and sorts what may belong to the list. Right for lists in
 * another order whose range is short.
 */
export function datesPlan({ list, scope, page }: PageOfList, bounds: DatesBounds): ListPlan {
  const { bucketId, query } = list;
  const inRange = join([sql`u.bucket_id = ${bucketId}`, ...createdConditions(query)], " and ");
  const isCut = sql`((select count(*) from dated) > ${bounds.entries}
    or (select count(*) from candidates) > ${bounds.uploads})`;
  // What comes first among some uploads need not come first among all.
  const conditions = [
    sql`not ${isCut}`,
    ...listConditions(list, scope),
    ...afterConditions(query, page.after),
  ];
  return {
    with: sql`with
      dated as materialized (
        select u.upload_id, ${facetColumns(query)} from uploads.uploads u where ${inRange}
        order by u.created_at, u.upload_id ${limitTo(bounds.entries + 1)}),
      candidates as materialized (
        select u.upload_id from dated u where ${mayBelong(list, scope)}
        ${limitTo(bounds.uploads + 1)})`,
    from: uploadsOf(raw("candidates"), bucketId),
    where: join(conditions, " and "),
    orderBy: uploadOrder(query),
    isCut,
    prepared: true,
  };
}
