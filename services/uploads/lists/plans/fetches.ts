/**
 * Plans that read all uploads that may belong to the list by another index, and sort them: best if
 * these are few.
 */
import { positionAt } from "../../model/tree-position.ts";
import { indexFetchQueries, isFetchTruncated } from "../../search/index-fetch.ts";
import {
  belongsToList,
  entryColumns,
  isAfterStart,
  isCreatedInTime,
  isInIndex,
  type ListShape,
  listOrder,
  mayBelongToList,
  rowsOf,
} from "./conditions.ts";
import type { PageSource } from "./plan.ts";

/** The uploads that the index of names finds, at most `:fetchedMax`. */
export function indexFetch(shape: ListShape): PageSource {
  return {
    with: `with ${indexFetchQueries}`,
    from: "fetched u",
    where: `not ${isFetchTruncated} and ${belongsToList(shape)} and ${isAfterStart(shape)}`,
    orderBy: listOrder(shape),
    isTruncated: isFetchTruncated,
  };
}

/** The uploads created in the list's range of time. For lists in another order. */
export function dateRangeFetch(shape: ListShape, budget: number): PageSource {
  const byDate: ListShape = { ...shape, sortBy: "created_at" };
  const entries = `
    select ${entryColumns(byDate)} from uploads.uploads u
    where ${isInIndex(byDate)} and ${isCreatedInTime}
    order by u.created_at, u.id_prefix`;
  return rangeFetch(shape, budget, {
    entries,
    hasTime: true,
    keys: ["created_at", "id_prefix"],
    shape: byDate,
  });
}

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
    shape: { ...shape, isFolder: false },
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
  const keys = index.keys.map((key) => `u."${key}"`).join(", ");
  const isTruncated = `((select count(*) from candidates) > :fetchedMax
    or exists (${index.entries} offset ${budget}))`;
  return {
    with: `with candidates as materialized (
        select ${keys} from (${index.entries} limit ${budget}) u
        where ${mayBelongToList(shape, index.hasTime)} limit :fetchedMax::bigint + 1)`,
    from: rowsOf("(select distinct u.* from candidates u)", index.shape, index.keys),
    where: `not ${isTruncated} and ${belongsToList(shape)} and ${isAfterStart(shape)}`,
    orderBy: listOrder(shape),
    isTruncated,
  };
}
