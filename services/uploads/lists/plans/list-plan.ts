/**
 * One way to find a page of a list. All find the same uploads; they differ in the indexes that they
 * read, and each but the last resort reads a bounded part of them.
 */
import sql, { empty, raw, type Sql } from "sql-template-tag";
import type { ListScope, PageRequest, UploadList } from "../../search/upload-list.ts";

/** What is to be found. */
export interface PageOfList {
  readonly list: UploadList;
  readonly scope: ListScope;
  readonly page: PageRequest;
}

export interface ListPlan {
  /** What stands before `select`: parts of the statement with names of their own, or nothing. */
  readonly with: Sql;
  /** Gives uploads as `u`, with all their columns. */
  readonly from: Sql;
  readonly where: Sql;
  /**
   * May name a part of the order only, and rest on that in which `from` comes for the others: what
   * is joined to the uploads must keep it.
   */
  readonly orderBy: Sql;
  /**
   * Whether the plan came to its bound, so that there may be more. It tells nothing where the page
   * is full.
   */
  readonly isCut: Sql;
  /** Whether the plan comes so often that the server should keep it. */
  readonly prepared: boolean;
}

/** What is known of a list when a plan for it was cut. */
export interface CutPlan {
  /** Uploads of the list that it came to. */
  readonly found: number;
  /** Uploads in the bucket, about. */
  readonly uploadsInBucket: number;
}

/** `uploadsInBucket` as text where the plan was cut, and null where it was not. */
export function cutText({ isCut }: ListPlan, bucketId: string): Sql {
  // Where nobody has kept count, no bucket has more than there are in all.
  return sql`case when ${isCut} then coalesce(
    (select s.uploads from uploads.bucket_sizes s where s.bucket_id = ${bucketId}),
    (select greatest(c.reltuples, 0)::bigint from pg_class c
      where c.oid = 'uploads.uploads'::regclass))::text end`;
}

/** @param text what `cutText` gave. */
export function cutOf(found: number, text: string | null | undefined): CutPlan | undefined {
  return text === null || text === undefined ? undefined : { found, uploadsInBucket: Number(text) };
}

/**
 * Settings of the connections that lists are read by. A statement is planned once and not for every
 * request, which would often take longer than to run it; its text leaves no choice that depends on
 * the values. To compile it, to start processes for it, or to remember what it joined, takes longer
 * too.
 */
export const listPlanSettings = {
  plan_cache_mode: "force_generic_plan",
  jit: "off",
  max_parallel_workers_per_gather: "0",
  enable_memoize: "off",
};

/** How much a plan reads at most, in rows or index entries; without it, all there is. */
export type Bound = number | undefined;

/**
 * The bound, as part of the text: the planner must see it, since what it chooses for an unknown
 * number may read the whole bucket. It also keeps what stands around it apart: the conditions there
 * cannot make the planner choose another index.
 */
export function limitTo(bound: Bound): Sql {
  return raw(bound === undefined ? "offset 0" : `limit ${bound}`);
}

/** The uploads `u` of the candidates `c`, one by one. */
export function uploadsOf(candidates: Sql, bucketId: string): Sql {
  return sql`${candidates} c cross join lateral (
    select u.* from uploads.uploads u
    where u.bucket_id = ${bucketId} and u.upload_id = c.upload_id offset 0) u`;
}

/** For plans without parts before `select`. */
export const noParts: Sql = empty;
