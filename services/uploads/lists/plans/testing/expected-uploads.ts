/**
 * Which uploads a list holds, as SQL that looks at every row: what the plans must find. It shares
 * nothing with their conditions, and has only the conditions that the list asks for.
 */
import sql, { join, raw, type Sql } from "sql-template-tag";
import { isoOfMicros } from "../../../model/timestamps.ts";
import type { TreeKeyRange } from "../../../model/tree-key-range.ts";
import type { Position, SortColumn, UploadQuery } from "../../../model/upload-query.ts";
import { likePattern } from "../../../search/name-conditions.ts";
import { listScope, type UploadList } from "../parameters.ts";

/** Of each sort the column of an upload `u`, and its type. */
const sortKeys: Readonly<Record<SortColumn, { column: string; type: string }>> = {
  created_at: { column: "u.created_at", type: "timestamptz" },
  updated_at: { column: "u.updated_at", type: "timestamptz" },
  filename: { column: "u.filename", type: "text" },
  size_bytes: { column: "u.size_bytes", type: "bigint" },
  order: { column: 'u."order"', type: "integer" },
};

export function sortColumn({ sortBy }: Pick<UploadQuery, "sortBy">): Sql {
  return raw(sortKeys[sortBy].column);
}

/** The order of the list. */
export function uploadOrder(query: Pick<UploadQuery, "sortBy" | "sortOrder">): Sql {
  const direction = raw(query.sortOrder);
  return sql`${sortColumn(query)} ${direction}, u.upload_id ${direction}`;
}

/** Whether an upload is in the list, after the position if there is one. */
export function isExpected(list: UploadList, after?: Position): Sql {
  return join(
    [
      sql`u.bucket_id = ${list.bucketId}`,
      ...conditionsOf(list),
      ...afterConditions(list.query, after),
    ],
    " and ",
  );
}

/** The uploads in the list, in its order. */
export function expectedUploads(list: UploadList, after?: Position): Sql {
  return sql`select u.upload_id from uploads.uploads u where ${isExpected(list, after)}
    order by ${uploadOrder(list.query)}`;
}

function conditionsOf(list: UploadList): Sql[] {
  const { visibility, query } = list;
  const scope = listScope(list);
  if (scope === undefined) return [raw("false")];
  const { tags, name } = query;
  const conditions = [isInScope(scope.folder, scope.ranges), ...createdConditions(query)];
  if (visibility.hidesUploads) conditions.push(isShownTo(visibility.clientId));
  if (tags.allOf.length > 0) conditions.push(sql`u.tags @> ${tags.allOf}::text[]`);
  if (tags.anyOf.length > 0) conditions.push(sql`u.tags && ${tags.anyOf}::text[]`);
  if (tags.noneOf.length > 0) conditions.push(sql`not u.tags && ${tags.noneOf}::text[]`);
  if (name !== undefined) {
    const like = likePattern(name);
    conditions.push(sql`(u.filename_folded like ${like} or u.slug_folded like ${like})`);
  }
  return conditions;
}

function isInScope(folder: string | undefined, ranges: readonly TreeKeyRange[] = []): Sql {
  if (folder !== undefined) return sql`u.folder_key = ${folder}`;
  const isIn = ({ from, to }: TreeKeyRange) =>
    sql`(u.folder_key >= ${from} and u.folder_key < ${to})`;
  return sql`(${join(ranges.map(isIn), " or ")})`;
}

function isShownTo(clientId: string | undefined): Sql {
  if (clientId === undefined) return sql`not u.integration_hidden`;
  return sql`(not u.integration_hidden or u.integration_id in (
    select i.integration_id from uploads.integrations i
    where i.bucket_id = u.bucket_id and i.oauth_client_id = ${clientId}))`;
}

function createdConditions({ createdFrom, createdTo }: UploadQuery): Sql[] {
  const conditions: Sql[] = [];
  if (createdFrom !== undefined) {
    conditions.push(sql`u.created_at >= ${isoOfMicros(createdFrom)}::timestamptz`);
  }
  if (createdTo !== undefined) {
    conditions.push(sql`u.created_at <= ${isoOfMicros(createdTo)}::timestamptz`);
  }
  return conditions;
}

function afterConditions({ sortBy, sortOrder }: UploadQuery, after?: Position): Sql[] {
  if (after === undefined) return [];
  const { column, type } = sortKeys[sortBy];
  const beyond = raw(sortOrder === "asc" ? ">" : "<");
  return [
    sql`(${raw(column)}, u.upload_id) ${beyond}
      (${after.sortKey}::${raw(type)}, ${after.uploadId})`,
  ];
}
