import sql, { join, type Sql } from "sql-template-tag";
import type { Visibility } from "../access/visibility.ts";
import { inRanges, uploadIsShown } from "../access/visibility-conditions.ts";
import { clipRanges, type KeyRange } from "../model/key-range.ts";
import type { NamePattern } from "../model/name-pattern.ts";
import { type TreeKey, treeDepth } from "../model/tree-key.ts";
import { folderPathMatches, nameMayMatch, uploadNameMatches } from "../search/name-conditions.ts";

/** Which folders of a bucket a tree is made of. */
export interface TreeScope {
  readonly bucketId: string;
  readonly visibility: Visibility;
  /** The top folder and all under it. */
  readonly subtree: KeyRange;
}

export interface TreeFilters {
  readonly path: NamePattern | undefined;
  readonly upload: NamePattern | undefined;
  /** Leave out what leads to no match. */
  readonly onlyMatches: boolean;
  /** Levels to show; 0 is all. */
  readonly depthMax: number;
}

export interface TreeQuery extends TreeScope {
  readonly filters: TreeFilters;
  readonly includeUploads: boolean;
  readonly includeTotals: boolean;
}

/** How the rows of a tree are read. */
export interface TreePlan extends TreeQuery {
  /**
   * The depths of the folders that are read, the top one's first, where those under them need not
   * be looked at one by one. None: all folders are read.
   */
  readonly levels: readonly number[] | undefined;
  /** All folders that directly hold a match of the upload filter. None: that is not known. */
  readonly matching: readonly TreeKey[] | undefined;
  /** The only folders that are read: those, and what leads to them. None: all folders are. */
  readonly leading: readonly TreeKey[] | undefined;
}

/**
 * The top folder and those under it, in tree order, as far as the caller may know of them, each
 * followed by its uploads, by filename, then ID: those that match the filter, where the path filter
 * holds. An upload's row has no key. Of what is under the depth limit, there is enough to tell that
 * it is there, and what is in it.
 *
 * Every part is written so that it reads along an index in the order of the answer: the first row
 * comes at once, and nothing is sorted but the keys of a few levels. What belongs to a folder comes
 * in order because the database joins folder by folder, and the parts of a union one by one; to
 * demand it of the whole would have a folder's uploads sorted, documents and all.
 */
export function treeStatement(plan: TreePlan, includeDocuments: boolean): Sql {
  const rows = [sql`select ${folderRow(plan, includeDocuments)}`];
  if (plan.includeUploads) rows.push(uploadRows(plan, includeDocuments));
  if (plan.levels !== undefined) rows.push(cutRow(plan));
  return sql`
    select r.* from ${foldersInOrder(plan)}
    cross join lateral (select ${facts(plan)}) facts
    cross join lateral (select ${plan.includeTotals ? ownTotals(plan) : noTotals}) totals
    cross join lateral (${join(rows, " union all ")}) r
    where ${isKnown(plan)}
    order by ${isOfAll(plan) ? sql`f.tree_key` : sql`chosen.tree_key`}`;
}

function isOfAll({ levels, leading }: TreePlan): boolean {
  return levels === undefined && leading === undefined;
}

/** The folders `f`. */
function foldersInOrder(plan: TreePlan): Sql {
  if (isOfAll(plan)) return sql`uploads.folders f`;
  const { bucketId, subtree, levels, leading } = plan;
  const isOnLevel = sql`bucket_id = ${bucketId}
    and uploads.tree_depth(tree_key) = any (${levels}::integer[])
    and tree_key >= ${subtree.from} and tree_key < ${subtree.to}`;
  const keys =
    leading === undefined
      ? sql`select tree_key from uploads.folders where ${isOnLevel}`
      : sql`select tree_key collate "C" from unnest(${leading}::text[]) as k (tree_key)`;
  // The offset keeps the planner from reading more than these.
  return sql`(${keys} order by tree_key) chosen
    cross join lateral (
      select * from uploads.folders
      where bucket_id = ${bucketId} and tree_key = chosen.tree_key offset 0) f`;
}

function folderRow(plan: TreePlan, includeDocuments: boolean): Sql {
  return sql`
    f.tree_key as key, not facts.inside as bare, facts.path_matches, facts.holds_match,
    ${includeDocuments ? folderContent(plan) : noContent},
    totals.upload_count, totals.size_bytes`;
}

function uploadRows(plan: TreePlan, includeDocuments: boolean): Sql {
  return sql`
    select null, null, null, null, ${includeDocuments ? uploadContent : noContent}, null, null
    from ${uploadsInOrder(plan)}
    where facts.inside and facts.path_matches and ${isWithin(plan, 0)}
      and ${plan.matching === undefined ? sql`true` : sql`facts.holds_match`}`;
}

/** For a folder of the last level: one of those under it, with the totals of all of them. */
function cutRow(plan: TreePlan): Sql {
  const { bucketId, visibility, subtree, levels, includeTotals } = plan;
  const ranges = clipRanges(visibility.ranges, subtree);
  const isUnder = (key: Sql) => sql`${key} >= f.tree_key || chr(1) and ${key} < f.tree_key || chr(2)
    and ${ranges.length === 0 ? sql`false` : inRanges(key, ranges)}`;
  const totals = sql`${totalColumns} from uploads.uploads u
    where u.bucket_id = ${bucketId} and ${isUnder(sql`u.folder_key`)}
      and ${uploadIsShown(visibility, bucketId)}`;
  return sql`
    select cut.tree_key, false, true, true, null, null, totals.upload_count, totals.size_bytes
    from (
      select tree_key from uploads.folders
      where bucket_id = ${bucketId} and ${isUnder(sql`tree_key`)}
        and uploads.tree_depth(f.tree_key) = ${levels?.at(-1) ?? 0}
      order by tree_key limit 1) cut
    cross join lateral (select ${includeTotals ? totals : noTotals}) totals`;
}

/** What the visibility and the filters say of a folder `f`. */
function facts(plan: TreePlan): Sql {
  const { visibility, subtree, filters } = plan;
  const { path } = filters;
  const ranges = clipRanges(visibility.ranges, subtree);
  return sql`
    ${ranges.length === 0 ? sql`false` : inRanges(sql`f.tree_key`, ranges)} as inside,
    ${path === undefined ? sql`true` : folderPathMatches(path)} as path_matches,
    ${holdsMatch(plan)} as holds_match`;
}

function holdsMatch(plan: TreePlan): Sql {
  const { bucketId, visibility, filters, matching } = plan;
  const { upload: name } = filters;
  if (name === undefined) return sql`true`;
  if (matching !== undefined) return sql`f.tree_key = any (${matching}::text[])`;
  if (name.caseSensitive || name.rule === "glob") {
    return sql`exists (select from ${uploadsInOrder(plan)})`;
  }
  // The names, without the tags, tell the whole of it where the entry has them.
  return sql`exists (
    select from (
      select u.upload_id, u.filter_text is null or u.integration_hidden as is_unsure
      from uploads.uploads u
      where u.bucket_id = f.bucket_id and u.folder_key = f.tree_key
        and ${uploadIsShown(visibility, bucketId)}
        and (u.filter_text is null or ${nameMayMatch(name, "split_part(u.filter_text, chr(1), 1)")})
      offset 0) candidate
    where not candidate.is_unsure or exists (
      select from uploads.uploads u
      where u.bucket_id = f.bucket_id and u.upload_id = candidate.upload_id
        and ${uploadNameMatches(name)}))`;
}

const noTotals = sql`null::bigint as upload_count, null::bigint as size_bytes`;

const totalColumns = sql`
  count(*) as upload_count, coalesce(sum(u.size_bytes), 0)::bigint as size_bytes`;

function ownTotals({ bucketId, visibility }: TreeQuery): Sql {
  return sql`${totalColumns} from uploads.uploads u
    where u.bucket_id = f.bucket_id and u.folder_key = f.tree_key
      and facts.inside and ${uploadIsShown(visibility, bucketId)}`;
}

function isKnown(query: TreeQuery): Sql {
  const { bucketId, visibility, subtree, filters, includeTotals } = query;
  // With nothing to look for deeper down, a folder of the first level under the limit shows that
  // the tree is cut there.
  const isWhole = filters.path === undefined && filters.upload === undefined;
  const mayLeaveOut = isWhole && !includeTotals && visibility.ancestors.size === 0;
  return sql`f.bucket_id = ${bucketId}
    and f.tree_key >= ${subtree.from} and f.tree_key < ${subtree.to}
    and (facts.inside or f.tree_key = any (${[...visibility.ancestors]}::text[]))
    and ${mayLeaveOut ? isWithin(query, 1) : sql`true`}`;
}

/** The uploads `u` of a folder `f` that the caller may see, by filename, then ID. */
function uploadsInOrder({ bucketId, visibility, filters: { upload: name } }: TreeQuery): Sql {
  const isInFolder = sql`u.bucket_id = f.bucket_id and u.folder_key = f.tree_key`;
  const isShown = uploadIsShown(visibility, bucketId);
  if (name === undefined || name.caseSensitive) {
    return sql`(select u.* from uploads.uploads u
      where ${isInFolder} and ${isShown} and ${name ? uploadNameMatches(name) : sql`true`}
      order by u.filename, u.upload_id) u`;
  }
  // Those that may match are found along the index; only their rows are looked at. The offsets keep
  // the planner from doing it in one.
  return sql`(select u.upload_id from uploads.uploads u
      where ${isInFolder} and (u.filter_text is null or ${nameMayMatch(name)})
      order by u.filename, u.upload_id offset 0) candidate
    cross join lateral (select * from uploads.uploads u
      where u.bucket_id = f.bucket_id and u.upload_id = candidate.upload_id
        and ${isShown} and ${uploadNameMatches(name)} offset 0) u`;
}

/** Whether a folder `f` is at most `levelsBelow` the depth limit, if there is one. */
function isWithin({ subtree, filters: { depthMax } }: TreeQuery, levelsBelow: number): Sql {
  if (depthMax === 0) return sql`true`;
  const depth = treeDepth(subtree.from) + depthMax + levelsBelow;
  return sql`uploads.tree_depth(f.tree_key) <= ${depth}`;
}

/** Rows without their documents, for counting. */
const noContent = sql`null::text as document, null::text as members`;

function folderContent(query: TreeQuery): Sql {
  return sql`case when ${isWithin(query, 0)} then f.document end as document,
    case when f.scoping_integration_id is not null or f.virtual_file_integration_id is not null
      then concat(${integrationMember("scopingIntegration", sql`f.scoping_integration_id`)},
        ${integrationMember("virtualFileIntegration", sql`f.virtual_file_integration_id`)})
    end as members`;
}

const uploadContent = sql`u.document,
  case when u.integration_id is not null
    then ${integrationMember("integration", sql`u.integration_id`)} end`;

// A join might be made by hashing, which loses the order of the rows.
function integrationMember(name: string, id: Sql): Sql {
  return sql`(select ${`,"${name}":`} || i.document from uploads.integrations i
    where i.bucket_id = f.bucket_id and i.integration_id = ${id})`;
}
