/**
 * Plans that read all uploads that may belong to the list by another index, and sort them: best if
 * these are few.
 */
import type { SortColumn } from "../../model/upload-query.ts";
import { indexFetchQueries, isFetchTruncated } from "../../search/index-fetch.ts";
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

/** The uploads that the inverted index finds, at most `:fetchedMax`. */
export function indexFetch(shape: ListShape): PageSource {
  return {
    with: `with folders as materialized (
        select string_agg(uploads.folder_term(:bucketId, f.key), '|')::tsquery as terms
        from unnest(:coveringFolders::text[]) as f (key)),
      ${indexFetchQueries({
        isFound: mayBelongToList(shape, sampledIndex, nameHasTexts),
        terms: termsByCharacters,
        columns: fetchedColumns,
      })}`,
    from: rowsOf(`(
      select u.upload_id from fetched u
      where ${belongsToList(shape)} and ${isAfterStart(shape)}
      order by ${listOrder(shape)} limit :pageRows)`),
    where: `not ${isFetchTruncated}`,
    orderBy: listOrder(shape),
    isTruncated: isFetchTruncated,
  };
}

/** The index by `order`, which the sample is from. */
const sampledIndex = { hasCreatedAt: true };

/** The columns that the conditions need. */
const fetchedColumns = `u.upload_id, u.folder_key, u.filename, u.filename_folded, u.slug,
  u.slug_folded, u.tags, u.created_at, u.updated_at, u.size_bytes, u."order", u.integration_id,
  u.integration_hidden`;

/** The search. If its single characters are common in the sample, it leaves their terms out. */
const termsByCharacters = `case
          when :hasCharacterTerms
            and count(*) filter (where ${filterTextMatches()}) >= :commonCharacterMin
            then case when :isSelectiveWithoutCharacters
              then ${searchFor(":termsWithoutCharacters::tsquery")} end
          else ${searchFor(":terms::tsquery")} end`;

function searchFor(terms: string): string {
  const folders = "(select f.terms from folders f)";
  return `coalesce(${terms} && ${folders}, ${terms}, ${folders})`;
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
