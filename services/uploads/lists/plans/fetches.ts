/**
 * Plans that read everything that may belong to the list by another index, and sort it: right if
 * that is little.
 */
import type { SortColumn } from "../../model/upload-query.ts";
import { filterTextMatches, nameHasTexts } from "../../search/name-conditions.ts";
import {
  belongsToList,
  filterColumns,
  isAfterStart,
  isCreatedInTime,
  isInIndex,
  type ListShape,
  listOrder,
  mayBelongToList,
  orderedIndex,
  rowsOf,
  sortKeys,
} from "./conditions.ts";
import type { PageSource } from "./plan.ts";

/** The rows that the inverted index finds, at most `:fetchedMax`. */
export function indexFetch(shape: ListShape): PageSource {
  const isTruncated = `((select count(*) from fetched) > :fetchedMax
    or (select s.terms is null from search s))`;
  return {
    // Without a limit of its own, the planner takes the inverted index for `found` whatever the
    // limit is. A materialized query is read no further than it is asked to.
    with: `with ${searchUnlessCommon(shape)},
      found as materialized (
        select ${fetchedColumns} from uploads.uploads u
        where u.bucket_id = :bucketId and uploads.upload_terms(
          u.bucket_id, u.filename_folded, u.slug_folded, u.tags, u.folder_key)
          @@ (select s.terms from search s)),
      fetched as materialized (select * from found limit :fetchedMax::bigint + 1)`,
    from: rowsOf(`(
      select u.upload_id from fetched u
      where ${belongsToList(shape)} and ${isAfterStart(shape)}
      order by ${listOrder(shape)} limit :pageRows)`),
    where: `not ${isTruncated}`,
    orderBy: listOrder(shape),
    isTruncated,
  };
}

/** The columns that the conditions need. Most of a row is in other columns. */
const fetchedColumns = `u.upload_id, u.folder_key, u.filename, u.filename_folded,
  u.slug_folded, u.tags, u.created_at, u.updated_at, u.size_bytes, u."order", u.integration_id,
  u.integration_hidden`;

/** The largest sample. */
export const sampledRowsMax = 4000;

/**
 * The search, or null if a sample of uploads shows that it finds too many: the index reads each
 * term to its end before it returns the first upload. If a single character is common, its terms
 * are left out of the search.
 */
function searchUnlessCommon(shape: ListShape): string {
  return `folders as materialized (
        select string_agg(uploads.folder_term(:bucketId, f.key), '|')::tsquery as terms
        from unnest(:coveringFolders::text[]) as f (key)),
      search as materialized (
        select case
          when count(*) filter (where ${mayBelongToList(shape, sampledIndex, nameHasTexts)})
            > :sampledMax then null
          when :hasCharacterTerms
            and count(*) filter (where ${filterTextMatches()}) >= :commonCharacterMin
            then case when :isSelectiveWithoutCharacters
              then ${searchFor(":termsWithoutCharacters::tsquery")} end
          else ${searchFor(":terms::tsquery")} end as terms
        from (${sampleFrom("asc")} union all ${sampleFrom("desc")}) u)`;
}

/** The index by `order`. */
const sampledIndex = { hasCreatedAt: true };

function searchFor(terms: string): string {
  const folders = "(select f.terms from folders f)";
  return `coalesce(${terms} && ${folders}, ${terms}, ${folders})`;
}

/**
 * Half of the sample: one end of the index by `order`. Most uploads have the same `order`: theirs
 * is that of the IDs, which says nothing of names. Where an import gave them another one, the two
 * ends differ.
 */
function sampleFrom(sortOrder: "asc" | "desc"): string {
  return `(select * from (
            select ${filterColumns(sampledIndex)} from uploads.uploads u
            where u.bucket_id = :bucketId
            order by ${listOrder({ sortBy: "order", sortOrder })} limit ${sampledRowsMax / 2}) u
          limit :sampledRows / 2)`;
}

/** The uploads created in the list's range of time. For lists in another order. */
export function dateRangeFetch(shape: ListShape, budget: number): PageSource {
  return rangeFetch(shape, budget, "created_at", [isCreatedInTime]);
}

/** The uploads of the folder, by its index that has the filter columns but not the times. */
export function folderFetch(shape: ListShape, budget: number): PageSource {
  return rangeFetch(shape, budget, "filename", []);
}

/**
 * Reads a range of the index by `sortBy` of the bucket or folder, at most `budget` entries, and at
 * most `:fetchedMax` rows of them.
 */
function rangeFetch(
  shape: ListShape,
  budget: number,
  sortBy: SortColumn,
  conditions: readonly string[],
): PageSource {
  const ofRange = { ...shape, sortBy };
  const index = orderedIndex(ofRange);
  const isTruncated = `((select count(*) from listed) > ${budget}
    or (select count(*) from candidates) > :fetchedMax)`;
  return {
    with: `with listed as materialized (
        select u.upload_id, ${filterColumns(index)} from uploads.uploads u
        where ${[isInIndex(ofRange), ...conditions].join(" and ")}
        order by ${sortKeys[sortBy].column}, u.upload_id limit ${budget + 1}),
      candidates as materialized (
        select u.upload_id from listed u where ${mayBelongToList(shape, index)}
        limit :fetchedMax::bigint + 1)`,
    from: rowsOf("candidates"),
    where: `not ${isTruncated} and ${belongsToList(shape)} and ${isAfterStart(shape)}`,
    orderBy: listOrder(shape),
    isTruncated,
  };
}
