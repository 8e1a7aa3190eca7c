/**
 * The uploads that the index of names (schema/0006-search.sql) finds, as queries before a `select`.
 *
 * The index reads all entries of its trigrams before it returns the first upload. So a sample of
 * the bucket is searched first, and nothing is fetched if the pattern would find too many uploads.
 */
import { hasSignature } from "./signature.ts";

/** The largest sample. */
export const sampledRowsMax = 4000;

/** Whether the index finds an upload `u`: true for every match, and for some others. */
const isFoundBy = (pattern: string) =>
  `uploads.searched_text(u.filename, u.filename_folded, u.search_words) like ${pattern}`;

/**
 * Half of the sample, from one end of the index by `order`. Most uploads have the same `order` and
 * are then sorted by ID, so one end is a random sample. If an import set another `order`, both ends
 * differ.
 */
function sampleFrom(direction: "asc" | "desc"): string {
  // The planner needs a constant limit to choose the index.
  return `(select * from (
            select u."order", u.id_prefix, u.signature from uploads.uploads u
            where u.bucket_number = :bucketNumber
            order by u."order" ${direction}, u.id_prefix ${direction} limit ${sampledRowsMax / 2}) u
          limit :sampledRows / 2)`;
}

/**
 * The query `fetched`: at most `:fetchedMax` uploads that the index finds by `:searchedPattern`,
 * and one more. None if it finds more than `:sampledMax` of `:sampledRows` uploads. Of the sample,
 * only the rows of uploads with `:signature` are read.
 */
export const indexFetchQueries = fetchQueries(
  isFoundBy(":searchedPattern"),
  `select u.* from uploads.uploads u
        where u.bucket_number = :bucketNumber
          and ${isFoundBy("(select s.pattern from search s)")}`,
);

const isInFoundFolders = "u.tree_position <@ :foundFolders::int8multirange";

const isOfFoundTypes = "u.type = any (:foundTypes::smallint[])";

/** The same without a pattern too, with all uploads in `:foundFolders` and of `:foundTypes`. */
export const queryFetchQueries = fetchQueries(
  `(${isInFoundFolders} or ${isOfFoundTypes} or ${isFoundBy(":searchedPattern")})`,
  `select u.* from uploads.uploads u
        where :searchedPattern::text is not null and u.bucket_number = :bucketNumber
          and ${isFoundBy("(select s.pattern from search s)")}
          and not ${isInFoundFolders}
        union all
        select u.* from unnest(:foundFolders::int8multirange) r (positions)
        cross join lateral (
          select u.* from uploads.uploads u
          where u.bucket_number = :bucketNumber and u.tree_position >= lower(r.positions)
            and u.tree_position < upper(r.positions)
          offset 0) u
        union all
        select u.* from unnest(:foundTypes::smallint[]) t (type)
        cross join lateral (
          select u.* from uploads.uploads u
          where u.bucket_number = :bucketNumber and u.type = t.type
            and (select s.pattern is not null from search s)
          offset 0) u`,
);

/**
 * @param isSampled whether the fetch would find an upload of the sample.
 * @param found the uploads that it finds, if the pattern is not null.
 */
// Without a limit of its own, the planner takes the index of names for `found` whatever the limit
// is. A materialized query is read no further than it is asked to.
function fetchQueries(isSampled: string, found: string): string {
  return `search as materialized (
        select case when count(*) <= :sampledMax
          then coalesce(:searchedPattern::text, '') end as pattern
        from (
          select from (
            select distinct u."order", u.id_prefix
            from (${sampleFrom("asc")} union all ${sampleFrom("desc")}) u
            where ${hasSignature}) c
          cross join lateral (
            select u.* from uploads.uploads u
            where u.bucket_number = :bucketNumber
              and u."order" = c."order" and u.id_prefix = c.id_prefix offset 0) u
          where ${isSampled}
          limit :sampledMax::bigint + 1) s),
      found as materialized (
        ${found}),
      fetched as not materialized (select * from found limit :fetchedMax::bigint + 1)`;
}

/** Whether uploads that the index finds may be missing from `fetched`. */
export const isFetchTruncated = `((select s.pattern is null from search s)
    or (select count(*) from fetched) > :fetchedMax)`;
