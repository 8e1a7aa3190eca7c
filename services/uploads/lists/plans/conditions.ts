/**
 * The conditions of lists, as SQL over an upload `u`. Each is written here once, with named
 * parameters (`parameters.ts`). There is one text for all combinations of filters: a filter that a
 * request leaves out has a neutral value, or is switched off by a boolean. Only lists without
 * filters, and searches by name alone, have shorter texts. They are the most frequent, and setting
 * up the other conditions takes longer than checking them.
 */
import { isInRanges, isShown } from "../../access/visibility.ts";
import type { SortColumn, UploadQuery } from "../../model/upload-query.ts";
import { filterTextMatches, foldedNameMatches } from "../../search/name-conditions.ts";

/** What the text of a list's conditions depends on. */
export interface ListShape {
  readonly sortBy: SortColumn;
  readonly sortOrder: UploadQuery["sortOrder"];
  /** Whether the list is of a single folder: it then reads that folder's indexes. */
  readonly isFolder: boolean;
  /** The filters that the list has, beside its folders: none, a search by name, or any. */
  readonly filters: "none" | "name" | "any";
}

/** The column of each sort key, its type, and values before and after every key. */
export const sortKeys = {
  created_at: { column: "u.created_at", type: "timestamptz", least: "-infinity", most: "infinity" },
  updated_at: { column: "u.updated_at", type: "timestamptz", least: "-infinity", most: "infinity" },
  // Longer than a filename can be, of the last code point.
  filename: {
    column: "u.filename",
    type: "text",
    least: "",
    most: "\u{10ffff}".repeat(257),
  },
  size_bytes: {
    column: "u.size_bytes",
    type: "bigint",
    least: "-9223372036854775808",
    most: "9223372036854775807",
  },
  order: { column: 'u."order"', type: "integer", least: "-2147483648", most: "2147483647" },
} as const satisfies Record<SortColumn, Record<"column" | "type" | "least" | "most", string>>;

/** `:startKey` or `:endKey`, with the type of the sort key. */
export function keyParameter(name: "startKey" | "endKey", { sortBy }: ListShape): string {
  return `:${name}::${sortKeys[sortBy].type}`;
}

/** The order of a list. */
export function listOrder({ sortBy, sortOrder }: Pick<ListShape, "sortBy" | "sortOrder">): string {
  return `${sortKeys[sortBy].column} ${sortOrder}, u.upload_id ${sortOrder}`;
}

/** Whether an upload comes after the start of the page. */
export function isAfterStart(shape: ListShape): string {
  const beyond = shape.sortOrder === "asc" ? ">" : "<";
  return `(${sortKeys[shape.sortBy].column}, u.upload_id) ${beyond}
    (${keyParameter("startKey", shape)}, :startUploadId)`;
}

/**
 * The part of an index that the page is read from: from its start to the end of the list, in the
 * bucket or in the one folder.
 */
export function isInIndexRange(shape: ListShape): string {
  const conditions = [isInIndex(shape), isAfterStart(shape)];
  if (shape.sortBy === "created_at") {
    const before = shape.sortOrder === "asc" ? "<=" : ">=";
    conditions.push(`u.created_at ${before} ${keyParameter("endKey", shape)}`);
  }
  return conditions.join(" and ");
}

/** All of the bucket, or of the one folder, in the index of the sort. */
export function isInIndex({ isFolder, sortBy }: ListShape): string {
  const isInBucket = "u.bucket_id = :bucketId";
  return isFolder ? `${isInBucket} and ${isInFolderIndex(sortBy)}` : isInBucket;
}

/** A condition that only the folder's index for this sort serves (schema/0005-list-indexes.sql). */
function isInFolderIndex(sortBy: SortColumn): string {
  const seed = folderHashSeeds[sortBy];
  if (seed === undefined) return "u.folder_key = :folderKey";
  return `hashtextextended(u.folder_key, ${seed}) = hashtextextended(:folderKey, ${seed})`;
}

/** The seeds of the hashes in the folder indexes. The index by filename has no hash. */
const folderHashSeeds: Readonly<Record<SortColumn, number | undefined>> = {
  created_at: 1,
  updated_at: 2,
  filename: undefined,
  size_bytes: 3,
  order: 4,
};

function isInScope({ isFolder }: ListShape): string {
  return isFolder
    ? "u.folder_key = :folderKey"
    : `(:isWholeBucket or (${isInRanges("u.folder_key")}))`;
}

/** Whether an upload belongs to the list. */
export function belongsToList(shape: ListShape): string {
  const conditions = [isInScope(shape)];
  if (shape.filters === "name") conditions.push(foldedNameMatches);
  if (shape.filters === "any") {
    conditions.push(
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

/** An index whose entries are filtered. */
interface CoveringIndex {
  /** Whether it has the creation time. Only the folder index by filename does not. */
  readonly hasCreatedAt: boolean;
}

/** The index that has the uploads of the shape in order. */
export function orderedIndex({ isFolder, sortBy }: ListShape): CoveringIndex {
  return { hasCreatedAt: !isFolder || sortBy !== "filename" };
}

/** The columns of the index that `mayBelongToList` reads. */
export function filterColumns({ hasCreatedAt }: CoveringIndex): string {
  return `u.folder_key, u.filter_text${hasCreatedAt ? ", u.created_at" : ""}`;
}

/**
 * Whether an upload may belong to the list, by the filter columns of its index entry
 * (schema/0005-list-indexes.sql). True for every upload of the list and for some others, so the row
 * is checked too.
 *
 * @param nameMatches the condition on the name.
 */
export function mayBelongToList(
  shape: ListShape,
  { hasCreatedAt }: CoveringIndex,
  nameMatches = filterTextMatches(),
): string {
  const conditions = [isInScope(shape)];
  if (shape.filters === "name") conditions.push(`(u.filter_text is null or ${nameMatches})`);
  if (shape.filters === "any") {
    if (hasCreatedAt) conditions.push(`(not :isFiltered or (${isCreatedInTime}))`);
    conditions.push(
      `(u.filter_text is null or (${nameMatches}
        and (not :isFiltered or (u.filter_text like all (:tagPatternsAllOf::text[])
          and (cardinality(:tagPatternsAnyOf::text[]) = 0
            or u.filter_text like any (:tagPatternsAnyOf::text[]))
          and not u.filter_text like any (:tagPatternsNoneOf::text[])
          and (:seesSomeHidden or u.filter_text not like '!%')))))`,
    );
  }
  return conditions.join(" and ");
}

/** Reads the rows `u` of the candidates, one by one, in their order. */
export function rowsOf(candidates: string): string {
  return `${candidates} c cross join lateral (
    select u.* from uploads.uploads u
    where u.bucket_id = :bucketId and u.upload_id = c.upload_id offset 0) u`;
}
