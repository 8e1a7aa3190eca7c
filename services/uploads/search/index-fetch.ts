/**
 * The uploads that the inverted index (schema/0006-terms.sql) finds, as queries before a `select`.
 *
 * The index reads all entries of its terms before it returns the first upload. So a sample of the
 * bucket is searched first, and nothing is fetched if the terms would find too many uploads.
 */

/** The largest sample. */
export const sampledRowsMax = 4000;

interface IndexFetch {
  /** Whether the terms find an upload `u` of the sample, by its filter columns. */
  readonly isFound: string;
  /** The terms, of type `tsquery`. They can be chosen by aggregates over the sample `u`. */
  readonly terms: string;
  /** The columns that are fetched of an upload `u`. */
  readonly columns: string;
}

/**
 * The query `fetched`, of at most `:fetchedMax` uploads and one more. Its search is null if the
 * terms find more than `:sampledMax` of `:sampledRows` uploads.
 */
export function indexFetchQueries({ isFound, terms, columns }: IndexFetch): string {
  // Without a limit of its own, the planner takes the inverted index for `found` whatever the
  // limit is. A materialized query is read no further than it is asked to.
  return `search as materialized (
        select case when count(*) filter (where ${isFound}) <= :sampledMax
          then ${terms} end as terms
        from (${sampleFrom("asc")} union all ${sampleFrom("desc")}) u),
      found as materialized (
        select ${columns} from uploads.uploads u
        where u.bucket_id = :bucketId and uploads.upload_terms(
          u.bucket_id, u.filename, u.filename_folded, u.slug, u.slug_folded, u.tags, u.folder_key)
          @@ (select s.terms from search s)),
      fetched as materialized (select * from found limit :fetchedMax::bigint + 1)`;
}

/** Whether uploads that the terms find may be missing from `fetched`. */
export const isFetchTruncated = `((select count(*) from fetched) > :fetchedMax
    or (select s.terms is null from search s))`;

/**
 * Half of the sample, from one end of the index by `order`. Most uploads have the same `order` and
 * are then sorted by ID, so one end is a random sample. If an import set another `order`, both ends
 * differ.
 */
function sampleFrom(direction: "asc" | "desc"): string {
  // The planner needs a constant limit to choose the index.
  return `(select * from (
            select u.folder_key, u.filter_text, u.created_at from uploads.uploads u
            where u.bucket_id = :bucketId
            order by u."order" ${direction}, u.upload_id ${direction} limit ${sampledRowsMax / 2}) u
          limit :sampledRows / 2)`;
}
