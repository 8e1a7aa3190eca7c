/**
 * The conditions of lists, as SQL over an upload `u`. Each is written here once, with named
 * parameters (`parameters.ts`). There is one text for all combinations of filters: a filter that a
 * request leaves out has a neutral value, or is switched off by a boolean. Only lists without
 * filters, and searches by name alone, have shorter texts. They are the most frequent, and setting
 * up the other conditions takes longer than checking them.
 */
import { isShown, isUploadInRanges } from "../../access/visibility.ts";
import { positionOf } from "../../model/tree-position.ts";
import type { SortColumn, UploadQuery } from "../../model/upload-query.ts";
import { foldedNameMatches } from "../../search/name-conditions.ts";
import { entryMayHaveWords, passesQuery } from "../../search/query-conditions.ts";
import { hasSignature, isHiddenBySignature } from "../../search/signature.ts";

/** What the text of a list's conditions depends on. */
export interface ListShape {
  readonly sortBy: SortColumn;
  readonly sortOrder: UploadQuery["sortOrder"];
  /** Whether the list is of a single folder: it then reads that folder's indexes. */
  readonly isFolder: boolean;
  /**
   * The filters that the list has, beside its folders: none, a search by name, any of the contract,
   * or those of a query too.
   */
  readonly filters: "none" | "name" | "any" | "query";
}

/** The type of each sort key, and values before and after every key. */
export const sortKeys = {
  created_at: { type: "timestamptz", least: "-infinity", most: "infinity" },
  updated_at: { type: "timestamptz", least: "-infinity", most: "infinity" },
  // Longer than a filename can be, of the last code point.
  filename: { type: "text", least: "", most: "\u{10ffff}".repeat(257) },
  size_bytes: { type: "bigint", least: "-9223372036854775808", most: "9223372036854775807" },
  order: { type: "integer", least: "-2147483648", most: "2147483647" },
} as const satisfies Record<SortColumn, Record<"type" | "least" | "most", string>>;

/** `:startKey` or `:endKey`, with the type of the sort key. */
export function keyParameter(name: "startKey" | "endKey", { sortBy }: ListShape): string {
  return `:${name}::${sortKeys[sortBy].type}`;
}

/**
 * The order of a list. Uploads with the same key are in the order of their IDs. Indexes have only a
 * prefix of the ID, so PostgreSQL sorts those with the same prefix.
 *
 * @param entry the table that has the key and the prefix.
 */
export function listOrder(shape: ListShape, entry = "u"): string {
  return `${entryOrder(shape, entry)}, u.upload_id ${shape.sortOrder}`;
}

/** The order of index entries. */
export function entryOrder({ sortBy, sortOrder }: ListShape, entry = "u"): string {
  return `${entry}."${sortBy}" ${sortOrder}, ${entry}.id_prefix ${sortOrder}`;
}

/** Whether an upload comes after the start of the page. */
export function isAfterStart(shape: ListShape): string {
  return `(u."${shape.sortBy}", u.id_prefix, u.upload_id) ${beyond(shape)}
    (${keyParameter("startKey", shape)}, :startIdPrefix, :startUploadId)`;
}

function beyond({ sortOrder }: ListShape): string {
  return sortOrder === "asc" ? ">" : "<";
}

/**
 * The rows of the index that the page is read from: from its start to the end of the list, in the
 * bucket or in the one folder.
 */
export function areRowsInRange(shape: ListShape): string {
  return isInIndexRange(shape, isAfterStart(shape));
}

/** The same for entries: the first of them may be of uploads before the start. */
export function areEntriesInRange(shape: ListShape): string {
  return isInIndexRange(
    shape,
    `(u."${shape.sortBy}", u.id_prefix) ${beyond(shape)}=
    (${keyParameter("startKey", shape)}, :startIdPrefix)`,
  );
}

function isInIndexRange(shape: ListShape, isAfter: string): string {
  const conditions = [isInIndex(shape), isAfter];
  if (shape.sortBy === "created_at" || (shape.filters === "query" && setOfSort[shape.sortBy])) {
    const before = shape.sortOrder === "asc" ? "<=" : ">=";
    conditions.push(`u."${shape.sortBy}" ${before} ${keyParameter("endKey", shape)}`);
  }
  return conditions.join(" and ");
}

/** All of the bucket, or of the one folder, in the index of the sort. */
export function isInIndex({ isFolder, sortBy }: ListShape): string {
  const isInBucket = "u.bucket_number = :bucketNumber";
  if (!isFolder) return isInBucket;
  const added = sortBy === "filename" ? "" : ` + ${addedToPosition[sortBy]}`;
  return `${isInBucket} and u.tree_position${added} = ${positionOf(":folderKey")}${added}`;
}

/** What the folder's index for the sort, and no other, has of it (schema/0005-list-indexes.sql). */
const addedToPosition = { created_at: 1, updated_at: 2, size_bytes: 3, order: 4 };

function isInScope({ isFolder }: ListShape): string {
  return isFolder
    ? `u.tree_position = ${positionOf(":folderKey")}`
    : `(:isWholeBucket or (${isUploadInRanges}))`;
}

/** Whether an upload belongs to the list. */
export function belongsToList(shape: ListShape): string {
  const conditions = [isInScope(shape)];
  if (shape.filters === "name") conditions.push(hasSignature, foldedNameMatches);
  if (shape.filters === "query") conditions.push(passesQuery);
  if (shape.filters === "any" || shape.filters === "query") {
    conditions.push(
      hasSignature,
      `(not :isFiltered or (${isCreatedInTime}
        and coalesce(u.tags, '{}') @> :tagsAllOf::text[]
        and (cardinality(:tagsAnyOf::text[]) = 0 or u.tags && :tagsAnyOf::text[])
        and not coalesce(u.tags, '{}') && :tagsNoneOf::text[]
        and ${isShown}))`,
      `(:namePattern::text is null or ${foldedNameMatches})`,
    );
  }
  return conditions.join(" and ");
}

/** Whether an upload was created in the list's range of time. */
export const isCreatedInTime =
  "u.created_at >= :createdFrom::timestamptz and u.created_at <= :createdTo::timestamptz";

/** The columns of an index that has signatures, or is in the order of creation. */
export function entryColumns(shape: ListShape): string {
  const columns = new Set([shape.sortBy, "id_prefix", "tree_position", "signature"]);
  if (hasCreatedAt(shape)) columns.add("created_at");
  return [...columns].map((column) => `u."${column}"`).join(", ");
}

/** What the filters of a query allow of the keys of a sort. */
const setOfSort: Partial<Record<SortColumn, string>> = {
  created_at: ":createdTimes::tstzmultirange",
  updated_at: ":updatedTimes::tstzmultirange",
  size_bytes: ":sizes::int8multirange",
};

/** Whether the index entries of a list have the creation time. */
export function hasCreatedAt({ isFolder, sortBy }: ListShape): boolean {
  return !isFolder || sortBy === "created_at";
}

/**
 * Whether an upload may belong to the list, by its index entry (schema/0005-list-indexes.sql). True
 * for every upload of the list and for some others, so the row is checked too.
 *
 * @param hasTime whether the entry has the creation time.
 */
export function mayBelongToList(shape: ListShape, hasTime = hasCreatedAt(shape)): string {
  const conditions = [isInScope(shape)];
  if (shape.filters !== "none") conditions.push(hasSignature);
  if (shape.filters === "query") {
    conditions.push(entryMayHaveWords);
    const set = setOfSort[shape.sortBy];
    if (set !== undefined) conditions.push(`u."${shape.sortBy}" <@ ${set}`);
  }
  if (shape.filters === "any" || shape.filters === "query") {
    conditions.push(`(:seesHidden or not ${isHiddenBySignature})`);
    if (hasTime) conditions.push(`(not :isFiltered or (${isCreatedInTime}))`);
  }
  return conditions.join(" and ");
}

/**
 * Reads the rows `u` of index entries, one entry after the other, by the same index.
 *
 * @param entries different ones.
 * @param keys the columns of an entry. Uploads whose IDs begin alike may have the same entry.
 */
export function rowsOf(entries: string, shape: ListShape, keys: readonly string[]): string {
  const isOfEntry = keys.map((key) => `u."${key}" = c."${key}"`).join(" and ");
  return `${entries} c cross join lateral (
    select u.* from uploads.uploads u where ${isInIndex(shape)} and ${isOfEntry} offset 0) u`;
}
