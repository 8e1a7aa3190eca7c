/**
 * Plans that read all uploads that may belong to the list by another index, and sort them: best if
 * these are few.
 */
import { positionAt } from "../../model/tree-position.ts";
import {
  indexFetchQueries,
  isFetchTruncated,
  queryFetchQueries,
} from "../../search/index-fetch.ts";
import {
  belongsToList,
  entryColumns,
  hasCreatedAt,
  isAfterStart,
  isCreatedInTime,
  isInIndex,
  type ListShape,
  listOrder,
  mayBelongToList,
  rowsOf,
} from "./conditions.ts";
import type { PageSource, RangeColumn } from "./plan.ts";

/** The uploads that the index of names finds, at most `:fetchedMax`. */
export function indexFetch(shape: ListShape): PageSource {
  return {
    with: `with ${shape.filters === "query" ? queryFetchQueries : indexFetchQueries}`,
    from: "fetched u",
    where: `not ${isFetchTruncated} and ${belongsToList(shape)} and ${isAfterStart(shape)}`,
    orderBy: listOrder(shape),
    isTruncated: isFetchTruncated,
  };
}

/** The uploads with keys in a range of another sort than that of the list. */
export function rangeOfKeysFetch(shape: ListShape, by: RangeColumn, budget: number): PageSource {
  const inRange: ListShape = { ...shape, sortBy: by };
  const entries = `
    select ${entryColumns(inRange)} from uploads.uploads u
    where ${isInIndex(inRange)} and ${isBetween[by]}
    order by u."${by}", u.id_prefix`;
  return rangeFetch(shape, budget, {
    entries,
    hasTime: hasCreatedAt(inRange),
    keys: [by, "id_prefix"],
    shape: inRange,
  });
}

const isBetween: Record<RangeColumn, string> = {
  created_at: isCreatedInTime,
  updated_at:
    "u.updated_at >= :updatedFrom::timestamptz and u.updated_at <= :updatedTo::timestamptz",
  size_bytes: "u.size_bytes >= :sizeFrom::bigint and u.size_bytes <= :sizeTo::bigint",
};

/** The uploads of the folder, or of all folders in the ranges of the list. */
export function folderFetch(shape: ListShape, budget: number): PageSource {
  const entries = `
    select u.* from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper)
    cross join lateral (
      select ${positionAt("r.lower")} as first, ${positionAt("r.upper")} as next offset 0) p
    cross join lateral (
      select u.tree_position, u.filename, u.id_prefix, u.signature from uploads.uploads u
      where u.bucket_number = :bucketNumber
        and u.tree_position >= p.first and u.tree_position < p.next
      order by u.tree_position, u.filename, u.id_prefix offset 0) u`;
  return rangeFetch(shape, budget, {
    entries,
    hasTime: false,
    keys: ["tree_position", "filename", "id_prefix"],
    shape: { ...shape, isFolder: false, sortBy: "filename" },
  });
}

/** A part of an index. */
interface IndexRange {
  readonly entries: string;
  readonly hasTime: boolean;
  /** The columns by which the index finds rows. */
  readonly keys: readonly string[];
  /** Of lists that are in the order of the index. */
  readonly shape: ListShape;
}

/** Reads at most `budget` entries, and the rows of at most `:fetchedMax` of them. */
function rangeFetch(shape: ListShape, budget: number, index: IndexRange): PageSource {
  const entryShape = { ...index.shape, isFolder: shape.isFolder };
  const keys = index.keys.map((key) => `u."${key}"`).join(", ");
  const isTruncated = `((select count(*) from candidates) > :fetchedMax
    or exists (${index.entries} offset ${budget}))`;
  return {
    with: `with candidates as materialized (
        select ${keys} from (${index.entries} limit ${budget}) u
        where ${mayBelongToList(entryShape, index.hasTime)} limit :fetchedMax::bigint + 1)`,
    from: rowsOf("(select distinct u.* from candidates u)", index.shape, index.keys),
    where: `not ${isTruncated} and ${belongsToList(shape)} and ${isAfterStart(shape)}`,
    orderBy: listOrder(shape),
    isTruncated,
  };
}
