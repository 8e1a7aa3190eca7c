/** Which uploads a list holds and in which order, as SQL over an upload `u`. */
import sql, { join, raw, type Sql } from "sql-template-tag";
import type { Position } from "../domain/cursor.ts";
import { clipRanges, type KeyRange, rangesHold, subtreeRange } from "../domain/key-range.ts";
import { isoOfMicros } from "../domain/timestamps.ts";
import { treeKey } from "../domain/tree-key.ts";
import type { SortColumn, UploadQuery } from "../domain/upload-query.ts";
import type { View } from "../domain/view.ts";
import { uploadNameMatches } from "./name-conditions.ts";
import { inRanges, uploadIsShown } from "./view-conditions.ts";

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

/** The conditions for the uploads of the list that follow `after`; none where it holds none. */
export function uploadConditions(
  { bucketId, view, query }: UploadList,
  after: Position | undefined,
): Sql | undefined {
  const isInFolder = folderCondition(query, view);
  if (isInFolder === undefined) return undefined;
  const conditions = [sql`u.bucket_id = ${bucketId}`, isInFolder, uploadIsShown(view.clientId)];
  conditions.push(...filterConditions(query));
  if (after !== undefined) {
    const { column, type } = sortKeys[query.sortBy];
    const beyond = raw(query.sortOrder === "asc" ? ">" : "<");
    conditions.push(
      sql`(${column}, u.upload_id) ${beyond} (${after.sortKey}::${type}, ${after.uploadId})`,
    );
  }
  return join(conditions, " and ");
}

/** The sort key, as a column. */
export function sortColumn({ sortBy }: UploadQuery): Sql {
  return sortKeys[sortBy].column;
}

/** The order of the list, to stand behind `order by`. */
export function uploadOrder(query: UploadQuery): Sql {
  const direction = raw(query.sortOrder);
  return sql`${sortColumn(query)} ${direction}, u.upload_id ${direction}`;
}

function folderCondition({ path, recursive }: UploadQuery, view: View): Sql | undefined {
  const column = sql`u.folder_key`;
  if (path === undefined) return inSome(column, view.ranges);
  const key = treeKey(path);
  if (recursive) return inSome(column, clipRanges(view.ranges, subtreeRange(key)));
  return rangesHold(view.ranges, key) ? sql`${column} = ${key}` : undefined;
}

function inSome(column: Sql, ranges: readonly KeyRange[]): Sql | undefined {
  return ranges.length === 0 ? undefined : inRanges(column, ranges);
}

function filterConditions({ tags, createdFrom, createdTo, name }: UploadQuery): Sql[] {
  const conditions: Sql[] = [];
  if (createdFrom !== undefined) {
    conditions.push(sql`u.created_at >= ${isoOfMicros(createdFrom)}::timestamptz`);
  }
  if (createdTo !== undefined) {
    conditions.push(sql`u.created_at <= ${isoOfMicros(createdTo)}::timestamptz`);
  }
  if (tags.allOf.length > 0) conditions.push(sql`u.tags @> ${tags.allOf}::text[]`);
  if (tags.anyOf.length > 0) conditions.push(sql`u.tags && ${tags.anyOf}::text[]`);
  if (tags.noneOf.length > 0) conditions.push(sql`not u.tags && ${tags.noneOf}::text[]`);
  if (name !== undefined) conditions.push(uploadNameMatches(name));
  return conditions;
}

const sortKeys: Record<SortColumn, { readonly column: Sql; readonly type: Sql }> = {
  created_at: { column: sql`u.created_at`, type: sql`timestamptz` },
  updated_at: { column: sql`u.updated_at`, type: sql`timestamptz` },
  filename: { column: sql`u.filename`, type: sql`text` },
  size_bytes: { column: sql`u.size_bytes`, type: sql`bigint` },
  order: { column: sql`u."order"`, type: sql`integer` },
};
