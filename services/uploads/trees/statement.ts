import sql, { join, type Sql } from "sql-template-tag";
import { uploadIsShown } from "../access/visibility.ts";
import { treeDepth } from "../model/tree-key.ts";
import { folderPathMatches, nameMayMatch, uploadNameMatches } from "../search/name-conditions.ts";
import type { TreePlan, TreeQuery } from "./plan.ts";
import { isInside, isOnLevel, rangesAsRows, rowsInRanges } from "./ranges.ts";

/**
 * The top folder and those under it that the caller may know of, in tree order. If the path of a
 * folder matches the path filter, its uploads that match the upload filter follow, by filename,
 * then ID. The rows of uploads have no key. Below the depth limit, there are enough rows to tell
 * that folders exist, and their totals.
 *
 * Every part of the statement reads an index in the order of the answer: the first row comes at
 * once, and only the keys of a few levels are sorted. Folders are ordered by `order by`, and so are
 * the uploads of one folder. An order over all rows would sort a folder's uploads with their
 * documents. Uploads follow their folder because the database joins folder by folder, which
 * `upload-order.ts` checks.
 */
export function treeStatement(plan: TreePlan, includeDocuments: boolean): Sql {
  const rows = [sql`select ${folderRow(plan, includeDocuments)}`];
  if (plan.includeUploads) rows.push(uploadRows(plan, includeDocuments));
  if (plan.levels !== undefined) rows.push(truncatedRow(plan));
  const { folders, orderBy } = foldersInOrder(plan);
  return sql`
    select r.* from ${folders}
    cross join lateral (select ${folderFlags(plan)}) flags
    ${totalsOfFolder(plan)}
    cross join lateral (${join(rows, " union all ")}) r
    where ${isVisibleFolder(plan)}
    order by ${orderBy}`;
}

/** The folders `f`, and their order. */
function foldersInOrder(plan: TreePlan): { folders: Sql; orderBy: Sql } {
  const { bucketId, ranges, levels, foldersToRead } = plan;
  if (foldersToRead !== undefined) {
    return chosenFolders(
      bucketId,
      sql`select tree_key collate "C" from unnest(${foldersToRead}::text[]) as k (tree_key)`,
    );
  }
  if (levels !== undefined) {
    return chosenFolders(
      bucketId,
      sql`select tree_key from ${rowsInRanges("folders", plan, isOnLevel(levels))}`,
    );
  }
  if (ranges.length === 1) return { folders: sql`uploads.folders f`, orderBy: sql`f.tree_key` };
  const folders = sql`(select * from ${rangesAsRows(ranges)} order by lower collate "C") key_range
    cross join lateral (
      select * from uploads.folders
      where bucket_id = ${bucketId} and tree_key >= key_range.lower and tree_key < key_range.upper
      order by tree_key offset 0) f`;
  return { folders, orderBy: sql`key_range.lower collate "C"` };
}

function chosenFolders(bucketId: string, keys: Sql) {
  // With the offset, the planner looks these folders up one by one.
  const folders = sql`(${keys} order by tree_key) chosen
    cross join lateral (
      select * from uploads.folders
      where bucket_id = ${bucketId} and tree_key = chosen.tree_key offset 0) f`;
  return { folders, orderBy: sql`chosen.tree_key` };
}

function folderRow(plan: TreePlan, includeDocuments: boolean): Sql {
  return sql`
    f.tree_key as key, not flags.inside as is_ancestor_only,
    flags.path_matches, flags.has_matching_upload,
    ${includeDocuments ? folderContent(plan) : noContent},
    totals.*`;
}

function uploadRows(plan: TreePlan, includeDocuments: boolean): Sql {
  return sql`
    select null, null, null, null, ${includeDocuments ? uploadContent(plan) : noContent},
      null, null, null, null
    from ${uploadsInOrder(plan)}
    where flags.inside and flags.path_matches and ${isWithin(plan, 0)}
      and ${plan.foldersWithMatches === undefined ? sql`true` : sql`flags.has_matching_upload`}`;
}

/** For a folder of the last level: the first folder under it, with the totals of all of them. */
function truncatedRow(plan: TreePlan): Sql {
  const { bucketId, visibility, levels } = plan;
  const isUnder = (key: Sql) => sql`${key} >= f.tree_key || chr(1) and ${key} < f.tree_key || chr(2)
    and ${isInside(key, plan)}`;
  const counted = sql`${totalColumns} from uploads.uploads u
    where u.bucket_id = ${bucketId} and ${isUnder(sql`u.folder_key`)}
      and ${uploadIsShown(visibility, bucketId)}`;
  return sql`
    select below.tree_key, false, true, true, null, null, totals.*
    from (
      select tree_key from uploads.folders
      where bucket_id = ${bucketId} and ${isUnder(sql`tree_key`)}
        and uploads.tree_depth(f.tree_key) = ${levels?.at(-1) ?? 0}
      order by tree_key limit 1) below
    cross join lateral (select ${plan.totals === "counted" ? counted : noTotals}) totals`;
}

/** The results of visibility and filters for a folder `f`. */
function folderFlags(plan: TreePlan): Sql {
  const { path } = plan.filters;
  return sql`
    ${isInside(sql`f.tree_key`, plan)} as inside,
    ${path === undefined ? sql`true` : folderPathMatches(path)} as path_matches,
    ${hasMatchingUpload(plan)} as has_matching_upload`;
}

function hasMatchingUpload(plan: TreePlan): Sql {
  const { bucketId, visibility, filters, foldersWithMatches } = plan;
  const { upload: name } = filters;
  if (name === undefined) return sql`true`;
  if (foldersWithMatches !== undefined) {
    return sql`f.tree_key = any (${foldersWithMatches}::text[])`;
  }
  if (name.caseSensitive || name.rule === "glob") {
    return sql`exists (select from ${uploadsInOrder(plan)})`;
  }
  // An index entry that has the names decides without the row.
  return sql`exists (
    select from (
      select u.upload_id, u.filter_text is null or u.integration_hidden as is_unsure
      from uploads.uploads u
      where u.bucket_id = ${bucketId} and u.folder_key = f.tree_key
        and ${uploadIsShown(visibility, bucketId)}
        and (u.filter_text is null or ${nameMayMatch(name, "split_part(u.filter_text, chr(1), 1)")})
      offset 0) candidate
    where not candidate.is_unsure or exists (
      select from uploads.uploads u
      where u.bucket_id = ${bucketId} and u.upload_id = candidate.upload_id
        and ${uploadNameMatches(name)}))`;
}

const noTotals = sql`null::bigint as upload_count, null::bigint as size_bytes,
  null::bigint as subtree_upload_count, null::bigint as subtree_size_bytes`;

// The totals of the subtree are added up while it is read.
const totalColumns = sql`
  count(*) as upload_count, coalesce(sum(u.size_bytes), 0)::bigint as size_bytes,
  null::bigint as subtree_upload_count, null::bigint as subtree_size_bytes`;

/** The join with the `totals` of a folder `f`. */
function totalsOfFolder(plan: TreePlan): Sql {
  if (plan.totals === "stored")
    return sql`left join lateral (${storedTotals(plan)}) totals on true`;
  const own = plan.totals === "counted" ? countedTotals(plan) : noTotals;
  return sql`cross join lateral (select ${own}) totals`;
}

// A folder without a row has no uploads in and under it: its totals are read as 0. With the offset,
// rows are looked up folder by folder, which takes less time than an aggregate for each.
function storedTotals({ bucketId }: TreePlan): Sql {
  return sql`
    select t.uploads as upload_count, t.size_bytes::bigint as size_bytes,
      t.subtree_uploads as subtree_upload_count,
      t.subtree_size_bytes::bigint as subtree_size_bytes
    from uploads.folder_totals t
    where t.bucket_id = ${bucketId} and t.tree_key = f.tree_key offset 0`;
}

function countedTotals({ bucketId, visibility }: TreeQuery): Sql {
  return sql`${totalColumns} from uploads.uploads u
    where u.bucket_id = ${bucketId} and u.folder_key = f.tree_key
      and flags.inside and ${uploadIsShown(visibility, bucketId)}`;
}

function isVisibleFolder(query: TreePlan): Sql {
  const { bucketId, visibility, subtree, filters } = query;
  // If nothing has to be searched below the depth limit, the first level below it tells whether a
  // folder is truncated.
  const isWhole = filters.path === undefined && filters.upload === undefined;
  const mayLeaveOut = isWhole && query.totals !== "counted" && visibility.ancestors.size === 0;
  return sql`f.bucket_id = ${bucketId}
    and f.tree_key >= ${subtree.from} and f.tree_key < ${subtree.to}
    and (flags.inside or f.tree_key = any (${[...visibility.ancestors]}::text[]))
    and ${mayLeaveOut ? isWithin(query, 1) : sql`true`}`;
}

/** The uploads `u` of a folder `f` that the caller may see, by filename, then ID. */
function uploadsInOrder({ bucketId, visibility, filters: { upload: name } }: TreeQuery): Sql {
  const isInFolder = sql`u.bucket_id = ${bucketId} and u.folder_key = f.tree_key`;
  const isShown = uploadIsShown(visibility, bucketId);
  if (name === undefined || name.caseSensitive) {
    return sql`(select u.* from uploads.uploads u
      where ${isInFolder} and ${isShown} and ${name ? uploadNameMatches(name) : sql`true`}
      order by u.filename, u.upload_id) u`;
  }
  // Index entries tell which uploads may match, and only the rows of those are read. The offsets
  // keep the planner from joining both steps.
  return sql`(select u.upload_id from uploads.uploads u
      where ${isInFolder} and (u.filter_text is null or ${nameMayMatch(name)})
      order by u.filename, u.upload_id offset 0) candidate
    cross join lateral (select * from uploads.uploads u
      where u.bucket_id = ${bucketId} and u.upload_id = candidate.upload_id
        and ${isShown} and ${uploadNameMatches(name)} offset 0) u`;
}

/** Whether a folder `f` is at most `levelsBelow` the depth limit, if there is one. */
function isWithin({ subtree, filters: { depthMax } }: TreeQuery, levelsBelow: number): Sql {
  if (depthMax === 0) return sql`true`;
  const depth = treeDepth(subtree.from) + depthMax + levelsBelow;
  // It may be over 2^31-1.
  return sql`uploads.tree_depth(f.tree_key) <= ${depth}::bigint`;
}

/** The columns of rows without documents, for counting. */
const noContent = sql`null::text as document, null::text as members`;

function folderContent(query: TreeQuery): Sql {
  const member = (name: string, id: Sql) => integrationMember(query.bucketId, name, id);
  return sql`case when ${isWithin(query, 0)} then f.document end as document,
    case when f.scoping_integration_id is not null or f.virtual_file_integration_id is not null
      then concat(${member("scopingIntegration", sql`f.scoping_integration_id`)},
        ${member("virtualFileIntegration", sql`f.virtual_file_integration_id`)})
    end as members`;
}

function uploadContent({ bucketId }: TreeQuery): Sql {
  return sql`u.document,
    case when u.integration_id is not null
      then ${integrationMember(bucketId, "integration", sql`u.integration_id`)} end`;
}

// A subquery and not a join: a hash join would lose the order of the rows.
function integrationMember(bucketId: string, name: string, id: Sql): Sql {
  return sql`(select ${`,"${name}":`} || i.document from uploads.integrations i
    where i.bucket_id = ${bucketId} and i.integration_id = ${id})`;
}
