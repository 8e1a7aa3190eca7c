/**
 * Which uploads a list holds, as SQL that looks at every row: what the plans must find. It shares
 * nothing with their conditions, and has only the conditions that the list asks for.
 */
import type pg from "pg";
import { runOn } from "../../../import/merge/statements.ts";
import { isoOfMicros } from "../../../model/microseconds.ts";
import type { Position, SortColumn, UploadQuery } from "../../../model/upload-query.ts";
import { likePattern } from "../../../search/name-conditions.ts";
import { type MatchedUpload, passesFilters } from "../../testing/matching.ts";
import { listScope, type UploadList } from "../parameters.ts";

/** Of each sort the column of an upload `u`, and its type. */
const sortKeys: Readonly<Record<SortColumn, { column: string; type: string }>> = {
  created_at: { column: "u.created_at", type: "timestamptz" },
  updated_at: { column: "u.updated_at", type: "timestamptz" },
  filename: { column: "u.filename", type: "text" },
  size_bytes: { column: "u.size_bytes", type: "bigint" },
  order: { column: 'u."order"', type: "integer" },
};

export function sortColumn({ sortBy }: Pick<UploadQuery, "sortBy">): string {
  return sortKeys[sortBy].column;
}

/** The order of the list. */
export function uploadOrder(query: Pick<UploadQuery, "sortBy" | "sortOrder">): string {
  return `${sortColumn(query)} ${query.sortOrder}, u.upload_id ${query.sortOrder}`;
}

/** The IDs of the uploads in the list, in its order, after the position if there is one. */
export async function expectedIds(
  client: pg.ClientBase,
  list: UploadList,
  after?: Position,
): Promise<string[]> {
  const rows = await runOn(client)<MatchedUpload & { readonly uploadId: string }>(
    `select u.upload_id as "uploadId", u.path, u.filename, coalesce(u.slug, u.filename) as slug,
      u.size_bytes as "sizeBytes", u.type,
      (extract(epoch from u.created_at) * 1000000)::bigint as "createdMicros",
      (extract(epoch from u.updated_at) * 1000000)::bigint as "updatedMicros"
    from uploads.uploads u where ${isExpected(list, after)}
    order by ${uploadOrder(list.query)}`,
    expectedParameters(list, after),
  );
  const { filters } = list.query;
  return rows
    .filter((row) => filters === undefined || passesFilters(withNumbers(row), filters))
    .map(({ uploadId }) => uploadId);
}

function withNumbers(row: MatchedUpload): MatchedUpload {
  const { sizeBytes, createdMicros, updatedMicros } = row;
  return {
    ...row,
    sizeBytes: BigInt(sizeBytes),
    createdMicros: BigInt(createdMicros),
    updatedMicros: BigInt(updatedMicros),
  };
}

/**
 * Whether an upload is in the list, after the position if there is one. The filters of a query are
 * not in it (`matching.ts`).
 */
export function isExpected(list: UploadList, after?: Position): string {
  const { visibility, query } = list;
  const scope = listScope(list);
  if (scope === undefined) return "false";
  const { tags, name } = query;
  const conditions = ["u.bucket_number = :bucketNumber"];
  conditions.push(scope.folder === undefined ? isInRanges : "uploads.tree_key(u.path) = :folder");
  if (query.createdFrom !== undefined) conditions.push("u.created_at >= :createdFrom::timestamptz");
  if (query.createdTo !== undefined) conditions.push("u.created_at <= :createdTo::timestamptz");
  if (visibility.hidesUploads) conditions.push(isShown);
  if (tags.allOf.length > 0) conditions.push("coalesce(u.tags, '{}') @> :allOf::text[]");
  if (tags.anyOf.length > 0) conditions.push("u.tags && :anyOf::text[]");
  if (tags.noneOf.length > 0) conditions.push("not coalesce(u.tags, '{}') && :noneOf::text[]");
  if (name !== undefined) {
    conditions.push(`(coalesce(u.filename_folded, u.filename) like :name
      or coalesce(u.slug_folded, u.slug) like :name)`);
  }
  if (after !== undefined) conditions.push(isAfter(query));
  return conditions.join(" and ");
}

/** The parameters of `isExpected`. */
export function expectedParameters(list: UploadList, after?: Position) {
  const { visibility, query } = list;
  const { folder, ranges = [] } = listScope(list) ?? {};
  return {
    bucketNumber: list.bucketNumber,
    folder,
    ...query.tags,
    ...after,
    starts: ranges.map(({ from }) => from),
    ends: ranges.map(({ to }) => to),
    createdFrom: query.createdFrom === undefined ? undefined : isoOfMicros(query.createdFrom),
    createdTo: query.createdTo === undefined ? undefined : isoOfMicros(query.createdTo),
    clientId: visibility.clientId ?? null,
    name: query.name && likePattern(query.name),
  };
}

const isInRanges = `exists (
  select from unnest(:starts::text[], :ends::text[]) as r (first, next)
  where uploads.tree_key(u.path) >= r.first and uploads.tree_key(u.path) < r.next)`;

const isShown = `(not u.integration_hidden or u.integration_id in (
  select i.integration_id from uploads.integrations i
  where i.bucket_number = u.bucket_number and i.oauth_client_id = :clientId))`;

function isAfter({ sortBy, sortOrder }: UploadQuery): string {
  const { column, type } = sortKeys[sortBy];
  const beyond = sortOrder === "asc" ? ">" : "<";
  return `(${column}, u.upload_id) ${beyond} (:sortKey::${type}, :uploadId)`;
}
