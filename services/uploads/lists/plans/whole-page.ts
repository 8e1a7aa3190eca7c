/**
 * Pages of lists that leave nothing out: all of a folder, or of a bucket, that hides no uploads and
 * is asked for without a filter. That is what callers ask most. They need no plan: the index of the
 * sort has them in order.
 */

import { accessVersion } from "../../access/bucket-lookup.ts";
import type { SortColumn } from "../../model/upload-query.ts";
import type { Statement } from "../../postgres/statements.ts";
import {
  holdAll,
  type ListScope,
  listScope,
  type PageRequest,
  pageBound,
  sortKeys,
} from "../../search/upload-list.ts";
import { type CheckedList, completeDocument } from "../page.ts";
import { folderHashSeeds } from "./sort-index.ts";

/**
 * One column: the bucket's access version, then the documents, up to one more than the page holds.
 * None where the list leaves something out.
 *
 * The text is put together as it is: it is needed for every such request, and to make it of parts
 * that know their values takes a part of the time that all else takes.
 */
export function wholePage(list: CheckedList, page: PageRequest): Statement | undefined {
  const scope = listScope(list);
  if (scope === undefined || !leavesNothingOut(list, scope)) return undefined;
  const { bucketId, query, question } = list;
  const { sortBy, sortOrder } = query;
  const { column, type } = sortKeys[sortBy];
  const version = accessVersion(question, bucketId);
  const values = [...version.values];
  const given = (value: unknown) => `$${values.push(value)}`;

  let conditions = `u.bucket_id = ${given(bucketId)}`;
  if (scope.folder !== undefined) conditions += ` and ${isInFolder(given(scope.folder), sortBy)}`;
  if (page.after !== undefined) {
    const { sortKey, uploadId } = page.after;
    const beyond = sortOrder === "asc" ? ">" : "<";
    conditions += ` and (${column}, u.upload_id) ${beyond}
      (${given(sortKey)}::${type}, ${given(uploadId)})`;
  }
  const text = `
    select ${version.text} as text
    union all
    select page.document from (
      select ${completeDocument} as document from uploads.uploads u where ${conditions}
      order by ${column} ${sortOrder}, u.upload_id ${sortOrder} limit ${pageBound(page)}
    ) page
    limit ${given(page.pageSize + 2)}`;
  return { text, values };
}

function leavesNothingOut({ view, query }: CheckedList, { folder, ranges }: ListScope): boolean {
  const { tags, name, createdFrom, createdTo } = query;
  return (
    !view.hidesUploads &&
    (folder !== undefined || holdAll(ranges)) &&
    (name ?? createdFrom ?? createdTo) === undefined &&
    tags.allOf.length + tags.anyOf.length + tags.noneOf.length === 0
  );
}

/** The first condition is one that only the folder's index for this sort can serve. */
function isInFolder(folder: string, sortBy: SortColumn): string {
  const seed = folderHashSeeds[sortBy];
  const isFolder = `u.folder_key = ${folder}`;
  if (seed === undefined) return isFolder;
  const hash = (key: string) => `hashtextextended(${key}, ${seed})`;
  return `${hash("u.folder_key")} = ${hash(folder)} and ${isFolder}`;
}
