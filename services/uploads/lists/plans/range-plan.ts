import sql, { join, raw, type Sql } from "sql-template-tag";
import { facetColumns, mayBelong } from "../../search/covering-conditions.ts";
import { afterConditions, listConditions, uploadOrder } from "../../search/upload-list.ts";
import { type ListPlan, limitTo, type PageOfList, uploadsOf } from "./list-plan.ts";

/** Entries `u` that one index has side by side. */
export interface IndexRange {
  /** Beside the bucket; none where it has all of that. */
  readonly conditions: readonly Sql[];
  /** That of the index. */
  readonly orderBy: Sql;
}

/** How much of the range is read. */
export interface RangeBounds {
  /** Uploads in it. */
  readonly entries: number;
  /** Those of them that may belong to the list. */
  readonly uploads: number;
}

/** Reads a range of an index and sorts what may belong to the list. */
export function rangePlan(
  { list, scope, page }: PageOfList,
  range: IndexRange,
  bounds: RangeBounds,
): ListPlan {
  const { bucketId, query } = list;
  const inRange = join([sql`u.bucket_id = ${bucketId}`, ...range.conditions], " and ");
  const isCut = sql`((select count(*) from listed) > ${bounds.entries}
    or (select count(*) from candidates) > ${bounds.uploads})`;
  // What comes first among some uploads need not come first among all.
  const conditions = [
    sql`not ${isCut}`,
    ...listConditions(list, scope),
    ...afterConditions(query, page.after),
  ];
  return {
    with: sql`with
      listed as materialized (
        select u.upload_id, ${facetColumns(query)} from uploads.uploads u where ${inRange}
        order by ${range.orderBy}, u.upload_id ${limitTo(bounds.entries + 1)}),
      candidates as materialized (
        select u.upload_id from listed u where ${mayBelong(list, scope)}
        ${limitTo(bounds.uploads + 1)})`,
    from: uploadsOf(raw("candidates"), bucketId),
    where: join(conditions, " and "),
    orderBy: uploadOrder(query),
    isCut,
    prepared: true,
  };
}
