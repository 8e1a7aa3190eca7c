import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { UploadQuery } from "../../model/upload-query.ts";
import {
  facetColumns,
  mayBelong,
  nameHasPieces,
  nameMayMatch,
} from "../../search/covering-conditions.ts";
import { termSearch } from "../../search/term-search.ts";
import {
  afterConditions,
  listConditions,
  pageBound,
  uploadOrder,
} from "../../search/upload-list.ts";
import { type ListPlan, limitTo, type PageOfList, uploadsOf } from "./list-plan.ts";

export interface GatherBounds {
  /** Uploads that are gathered as estimated; at most it is twice as many. */
  readonly uploads: number;
  /** Uploads in the bucket, about. */
  readonly uploadsInBucket: number;
}

/**
 * Gathers the uploads that the inverted index finds, wherever they are in the order of the list,
 * and sorts them. Right for lists that hold few of many. None where the index is no help.
 */
export function gatherPlan(place: PageOfList, bounds: GatherBounds): ListPlan | undefined {
  const { list, scope, page } = place;
  const { bucketId, query } = list;
  const gatheredMax = 2 * bounds.uploads;
  const search = searchUnlessCommon(place, bounds);
  if (search === undefined) return undefined;
  const gathered = sql`
    select ${gatheredColumns} from uploads.uploads u
    where u.bucket_id = ${bucketId} and uploads.upload_terms(
      u.bucket_id, u.filename_folded, u.slug_folded, u.tags, u.folder_key)
      @@ (select s.terms from search s) ${limitTo(gatheredMax + 1)}`;
  const conditions = [...listConditions(list, scope), ...afterConditions(query, page.after)];
  const order = uploadOrder(query);
  const candidates = sql`(
    select u.upload_id from gathered u where ${join(conditions, " and ")}
    order by ${order} limit ${raw(String(pageBound(page)))})`;
  const isCut = sql`((select count(*) from gathered) > ${gatheredMax}
    or (select s.terms is null from search s))`;
  return {
    with: sql`with ${search}, gathered as materialized (${gathered})`,
    from: uploadsOf(candidates, bucketId),
    // What comes first among some uploads need not come first among all.
    where: sql`not ${isCut}`,
    orderBy: order,
    isCut,
    prepared: true,
  };
}

// What the conditions look at; not the rest, which is most of a row.
const gatheredColumns = sql`u.bucket_id, u.upload_id, u.folder_key, u.filename, u.filename_folded,
  u.slug_folded, u.tags, u.created_at, u.updated_at, u.size_bytes, u."order", u.integration_id,
  u.integration_hidden`;

/** Uploads that are looked at first: more where a few of a small sample would be too many. */
const sampleSizes = { usual: 1000, large: 4000 };
/** Of the sample so many must be allowed that it tells anything. */
const sampledLeast = 4;
/** Of the sample: a character of which more have it is common. */
const commonCharacterFrom = 0.15;

/**
 * The search, unless a look at some uploads shows that it finds too many: the index reads each term
 * to the end before it finds the first upload. Common characters are left out as long as the rest
 * may find little enough.
 */
function searchUnlessCommon(
  { list, scope }: PageOfList,
  { uploads, uploadsInBucket }: GatherBounds,
): Sql | undefined {
  const { all, withoutCharacters } = termSearch(list, scope);
  if (all === undefined) return undefined;
  const { bucketId, query } = list;
  const allowed = uploads / Math.max(uploadsInBucket, 1);
  const sampleSize =
    allowed * sampleSizes.usual < sampledLeast ? sampleSizes.large : sampleSizes.usual;
  const sampledMax = Math.ceil(sampleSize * allowed);
  const commonMin = raw(String(sampleSize * commonCharacterFrom));
  const isCommon =
    query.name !== undefined && all !== withoutCharacters
      ? sql`when count(*) filter (where ${nameMayMatch(query.name)}) >= ${commonMin}
          then ${withoutCharacters ?? raw("null")}`
      : empty;
  return sql`search as materialized (
    select case
      when count(*) filter (where ${mayBelong(list, scope, nameHasPieces)}) > ${sampledMax}
        then null
      ${isCommon}
      else ${all} end as terms
    from (
      select ${facetColumns(query)} from uploads.uploads u where u.bucket_id = ${bucketId}
      order by ${uploadOrder(sampledOrder(query))} ${limitTo(sampleSize)}) u)`;
}

/**
 * One that hardly depends on that of the list, or begins at its other end. Where orders are equal,
 * as most are, it is that of the IDs.
 */
function sampledOrder({ sortBy, sortOrder }: UploadQuery) {
  const isSame = sortBy === "order" && sortOrder === "asc";
  return { sortBy: "order", sortOrder: isSame ? "desc" : "asc" } as const;
}
