/** Which uploads a list holds and in which order, as SQL over an upload `u`. */
import sql, { raw, type Sql } from "sql-template-tag";
import type { View } from "../access/visibility.ts";
import { inRanges, uploadIsShown } from "../access/visibility-conditions.ts";
import { clipRanges, type KeyRange, rangesHold, subtreeRange } from "../model/key-range.ts";
import { isoOfMicros } from "../model/timestamps.ts";
import { type TreeKey, treeKey } from "../model/tree-key.ts";
import type { Position, SortColumn, UploadQuery } from "../model/upload-query.ts";
import { uploadNameMatches } from "./name-conditions.ts";

/** A list, as one caller sees it. */
export interface UploadList {
  readonly bucketId: string;
  readonly view: View;
  readonly query: UploadQuery;
}

/** The part of a list that is asked for. */
export interface PageRequest {
  readonly after: Position | undefined;
  readonly pageSize: number;
}

/**
 * The number of a page's uploads and one more, or a larger one. There are few of them, so that
 * there are few different statements: it stands in their texts, since what the planner chooses for
 * an unknown number may read the whole bucket.
 */
export function pageBound({ pageSize }: PageRequest): number {
  return pageSize < 51 ? 51 : 1001;
}

/** Where in the bucket the uploads of a list are, as far as the caller may see them. */
export type ListScope =
  | { readonly folder: TreeKey; readonly ranges?: never }
  /** Folders in these ranges, of which there is one at least. */
  | { readonly folder?: never; readonly ranges: readonly KeyRange[] };

/** None where the list holds nothing whatever is in the bucket. */
export function listScope({ query, view }: UploadList): ListScope | undefined {
  // No name has a slash.
  if (query.name?.text.includes("/")) return undefined;
  if (query.path === undefined) return scopeOf(view.ranges);
  const folder = treeKey(query.path);
  if (query.recursive) return scopeOf(clipRanges(view.ranges, subtreeRange(folder)));
  return rangesHold(view.ranges, folder) ? { folder } : undefined;
}

function scopeOf(ranges: readonly KeyRange[]): ListScope | undefined {
  return ranges.length === 0 ? undefined : { ranges };
}

/** Whether an upload of the bucket belongs to the list. */
export function listConditions({ view, query }: UploadList, scope: ListScope): Sql[] {
  const conditions = [inScope(scope), uploadIsShown(view), ...createdConditions(query)];
  const { tags, name } = query;
  if (tags.allOf.length > 0) conditions.push(sql`u.tags @> ${tags.allOf}::text[]`);
  if (tags.anyOf.length > 0) conditions.push(sql`u.tags && ${tags.anyOf}::text[]`);
  if (tags.noneOf.length > 0) conditions.push(sql`not u.tags && ${tags.noneOf}::text[]`);
  if (name !== undefined) conditions.push(uploadNameMatches(name));
  return conditions;
}

/** Whether an upload is in one of the list's folders. */
export function inScope({ folder, ranges }: ListScope): Sql {
  const column = sql`u.folder_key`;
  if (folder !== undefined) return sql`${column} = ${folder}`;
  return holdAll(ranges) ? raw("true") : inRanges(column, ranges);
}

/** Whether the ranges are those of a whole bucket. */
export function holdAll(ranges: readonly KeyRange[]): boolean {
  const { from, to } = subtreeRange(treeKey("/"));
  return ranges.some((range) => range.from === from && range.to === to);
}

export function createdConditions({ createdFrom, createdTo }: UploadQuery): Sql[] {
  const conditions: Sql[] = [];
  if (createdFrom !== undefined) {
    conditions.push(sql`u.created_at >= ${isoOfMicros(createdFrom)}::timestamptz`);
  }
  if (createdTo !== undefined) {
    conditions.push(sql`u.created_at <= ${isoOfMicros(createdTo)}::timestamptz`);
  }
  return conditions;
}

/** Whether an upload comes after the position; nothing to ask where there is none. */
export function afterConditions({ sortBy, sortOrder }: UploadQuery, after?: Position): Sql[] {
  if (after === undefined) return [];
  const column = sortColumn({ sortBy });
  const type = sortType({ sortBy });
  const beyond = raw(sortOrder === "asc" ? ">" : "<");
  return [sql`(${column}, u.upload_id) ${beyond} (${after.sortKey}::${type}, ${after.uploadId})`];
}

/** The sort key, as a column. */
export function sortColumn({ sortBy }: Pick<UploadQuery, "sortBy">): Sql {
  return raw(sortKeys[sortBy].column);
}

/** The type of the sort key. */
export function sortType({ sortBy }: Pick<UploadQuery, "sortBy">): Sql {
  return raw(sortKeys[sortBy].type);
}

/** The order of the list, to stand behind `order by`. */
export function uploadOrder(query: Pick<UploadQuery, "sortBy" | "sortOrder">): Sql {
  const direction = raw(query.sortOrder);
  return sql`${sortColumn(query)} ${direction}, u.upload_id ${direction}`;
}

/** Of each sort the column of an upload `u`, and its type. */
export const sortKeys: Readonly<Record<SortColumn, { column: string; type: string }>> = {
  created_at: { column: "u.created_at", type: "timestamptz" },
  updated_at: { column: "u.updated_at", type: "timestamptz" },
  filename: { column: "u.filename", type: "text" },
  size_bytes: { column: "u.size_bytes", type: "bigint" },
  order: { column: 'u."order"', type: "integer" },
};
