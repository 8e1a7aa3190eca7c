/** The indexes that have the uploads of a bucket, or of one folder, in the order of a list. */
import sql, { join, raw, type Sql } from "sql-template-tag";
import type { SortColumn } from "../../domain/upload-query.ts";
import { afterConditions, createdConditions, uploadOrder } from "../upload-list.ts";
import type { Bound, PageOfList } from "./list-plan.ts";

/** Where in its index a list begins, and where it may end. */
export function startConditions({ list, scope, page }: PageOfList): Sql {
  const { bucketId, query } = list;
  const conditions = [sql`u.bucket_id = ${bucketId}`, ...afterConditions(query, page.after)];
  if (scope.folder !== undefined) conditions.push(inFolderIndex(scope.folder, query.sortBy));
  if (query.sortBy === "created_at") conditions.push(...createdConditions(query));
  return join(conditions, " and ");
}

/** Whether there is more in the index than so many entries. */
export function goesBeyond(place: PageOfList, bound: Bound): Sql {
  if (bound === undefined) return raw("false");
  return sql`exists (
    select from uploads.uploads u where ${startConditions(place)}
    order by ${uploadOrder(place.list.query)} offset ${raw(String(bound))})`;
}

/** A condition that only the folder's index for this sort can serve (schema/0016). */
function inFolderIndex(folder: string, sortBy: SortColumn): Sql {
  const number = folderHashes[sortBy];
  if (number === undefined) return sql`u.folder_key = ${folder}`;
  return sql`hashtextextended(u.folder_key, ${number}) = hashtextextended(${folder}, ${number})`;
}

const folderHashes: Record<SortColumn, Sql | undefined> = {
  created_at: raw("1"),
  updated_at: raw("2"),
  filename: undefined,
  size_bytes: raw("3"),
  order: raw("4"),
};
