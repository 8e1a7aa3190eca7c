/** The indexes that have the uploads of a bucket, or of one folder, in the order of a list. */
import sql, { join, raw, type Sql } from "sql-template-tag";
import type { SortColumn, UploadQuery } from "../../model/upload-query.ts";
import { afterConditions, createdConditions, uploadOrder } from "../../search/upload-list.ts";
import type { Bound, PageOfList } from "./list-plan.ts";

/** Where in its index a list begins, and where it may end. */
export function startConditions(place: PageOfList): Sql {
  const { list, scope, page } = place;
  const { bucketId, query } = list;
  const conditions = [sql`u.bucket_id = ${bucketId}`, ...afterConditions(query, page.after)];
  if (scope.folder !== undefined) conditions.push(inFolderIndex(scope.folder, query.sortBy));
  conditions.push(...datesAhead(place));
  return join(conditions, " and ");
}

// A later page is past one of them already: of two comparisons for the same end, an index may begin
// at the one that is further away.
function datesAhead({ list: { query }, page: { after } }: PageOfList): Sql[] {
  if (after !== undefined) return lastDate(query);
  return query.sortBy === "created_at" ? createdConditions(query) : [];
}

/** Of a list in the order of its dates, the one at which it ends. */
export function lastDate(query: UploadQuery): Sql[] {
  if (query.sortBy !== "created_at") return [];
  const first = query.sortOrder === "asc" ? "createdFrom" : "createdTo";
  return createdConditions({ ...query, [first]: undefined });
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
  const given = folderHashSeeds[sortBy];
  if (given === undefined) return sql`u.folder_key = ${folder}`;
  const seed = raw(given);
  return sql`hashtextextended(u.folder_key, ${seed}) = hashtextextended(${folder}, ${seed})`;
}

/** What the folder's index for a sort hashes with; that by filename has folders as they are. */
export const folderHashSeeds: Readonly<Record<SortColumn, string | undefined>> = {
  created_at: "1",
  updated_at: "2",
  filename: undefined,
  size_bytes: "3",
  order: "4",
};
