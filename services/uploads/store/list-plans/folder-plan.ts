import sql, { join, raw } from "sql-template-tag";
import { afterConditions, listConditions, uploadOrder } from "../upload-list.ts";
import { facetColumns, mayBelong } from "./facet-conditions.ts";
import { type ListPlan, limitTo, type PageOfList, uploadsOf } from "./list-plan.ts";

/** How much of the range is read. */
export interface FolderBounds {
  /** Uploads of the folder. */
  readonly entries: number;
  /** Those of them that may belong to the list. */
  readonly uploads: number;
}

/**
 * Reads a folder by the one of its indexes that tells what uploads are filtered by, and sorts what
 * may belong to the list. Right where little of a large folder does.
 */
export function folderPlan(
  { list, scope, page }: PageOfList,
  folder: string,
  bounds: FolderBounds,
): ListPlan {
  const { bucketId, query } = list;
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
        select u.upload_id, ${facetColumns(query)} from uploads.uploads u
        where u.bucket_id = ${bucketId} and u.folder_key = ${folder}
        order by u.filename, u.upload_id ${limitTo(bounds.entries + 1)}),
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
