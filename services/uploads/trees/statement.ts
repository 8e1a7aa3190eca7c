import { isInRanges, isShownTo } from "../access/visibility.ts";
import { folderColumns, noFolderColumns } from "../answers/folder-json.ts";
import { noUploadColumns, uploadColumns } from "../answers/upload-json.ts";
import { treeDepth } from "../model/tree-key.ts";
import type { NamedValues } from "../postgres/named-parameters.ts";
import {
  exactNameMatches,
  filterTextMatches,
  foldedNameMatches,
  folderPathMatches,
  likePattern,
  nameParameters,
} from "../search/name-conditions.ts";
import type { TreePlan, TreeQuery } from "./plan.ts";
import {
  isOnLevel,
  rangesAsRows,
  readParameters,
  rowsInRanges,
  scopeParameters,
} from "./ranges.ts";

/**
 * The top folder and those under it that the caller may know of, in tree order. If the path of a
 * folder matches the path filter, its uploads that match the upload filter follow, by filename,
 * then ID. The rows of uploads have no key. Rows below the depth limit have no document. They are
 * needed for `truncated`, totals and filters.
 *
 * Every part of the statement reads an index in the order of the answer: the first row arrives at
 * once, and only the keys of a few levels are sorted. Folders are ordered by `order by`, and so are
 * the uploads of one folder. An order over all rows would sort a folder's uploads with their
 * documents. Uploads follow their folder because the database joins folder by folder, which
 * `upload-order.ts` checks.
 */
export function treeStatement(plan: TreePlan, includeDocuments: boolean): string {
  const rows = [`select ${folderRow(plan, includeDocuments)}`];
  if (plan.includeUploads) rows.push(uploadRows(plan, includeDocuments));
  if (plan.levels !== undefined) rows.push(truncatedRow(plan, includeDocuments));
  const { folders, orderBy } = foldersInOrder(plan);
  return `
    select r.* from ${folders}
    cross join lateral (select ${folderFlags(plan)}) flags
    ${totalsOfFolder(plan)}
    cross join lateral (${rows.join(" union all ")}) r
    where ${isVisibleFolder(plan)}
    order by ${orderBy}`;
}

/** The parameters of `treeStatement`. */
export function treeParameters(plan: TreePlan): NamedValues {
  const { visibility, subtree, filters, ranges } = plan;
  const { levels, foldersToRead, foldersWithMatches } = plan;
  return {
    ...scopeParameters(plan),
    ...readParameters(ranges),
    ...nameParameters(filters.upload),
    ...{ levels, foldersToRead, foldersWithMatches },
    ancestors: [...visibility.ancestors],
    pathPattern: filters.path && likePattern(filters.path),
    lastReadDepth: levels?.at(-1),
    lastShownDepth: treeDepth(subtree.from) + filters.depthMax,
  };
}

/** The folders `f`, and their order. */
function foldersInOrder({ ranges, levels, foldersToRead }: TreePlan) {
  if (foldersToRead !== undefined) {
    return chosenFolders(
      'select tree_key collate "C" from unnest(:foldersToRead::text[]) as k (tree_key)',
    );
  }
  if (levels !== undefined) {
    return chosenFolders(`select tree_key from ${rowsInRanges("folders", ranges, isOnLevel)}`);
  }
  if (ranges.length === 1) return { folders: "uploads.folders f", orderBy: "f.tree_key" };
  const folders = `(select * from ${rangesAsRows} order by lower collate "C") key_range
    cross join lateral (
      select * from uploads.folders
      where bucket_id = :bucketId and tree_key >= key_range.lower and tree_key < key_range.upper
      order by tree_key offset 0) f`;
  return { folders, orderBy: 'key_range.lower collate "C"' };
}

function chosenFolders(keys: string) {
  // With the offset, the planner looks these folders up one by one.
  const folders = `(${keys} order by tree_key) chosen
    cross join lateral (
      select * from uploads.folders
      where bucket_id = :bucketId and tree_key = chosen.tree_key offset 0) f`;
  return { folders, orderBy: "chosen.tree_key" };
}

function folderRow(plan: TreePlan, includeDocuments: boolean): string {
  const columns = folderColumns({ withIntegrations: true, isRead: isWithin(plan, 0) });
  return `
    not flags.inside as is_ancestor_only, flags.path_matches, flags.has_matching_upload, totals.*,
    ${includeDocuments ? columns : "f.tree_key"}
    ${plan.includeUploads && includeDocuments ? `, null::text, ${noUploadColumns}` : ""}`;
}

function uploadRows(plan: TreePlan, includeDocuments: boolean): string {
  return `
    select null, null, null, null, null, null, null, null
      ${includeDocuments ? `, ${noFolderColumns}, ${uploadColumns({ withIntegration: true })}` : ""}
    from ${uploadsInOrder(plan)}
    where flags.inside and flags.path_matches and ${isWithin(plan, 0)}
      and ${plan.foldersWithMatches === undefined ? "true" : "flags.has_matching_upload"}`;
}

/** For a folder of the last level: the first folder under it, with the totals of all under it. */
function truncatedRow(
  { visibility, totals, includeUploads }: TreePlan,
  includeDocuments: boolean,
): string {
  const isUnder = (key: string) => `${key} >= f.tree_key || chr(1) and ${key} < f.tree_key || chr(2)
    and ${isInRanges(key)}`;
  const counted = `${totalColumns} from uploads.uploads u
    where u.bucket_id = :bucketId and ${isUnder("u.folder_key")} and ${isShownTo(visibility)}`;
  return `
    select false, true, true, totals.*, below.tree_key
      ${includeDocuments ? `, ${noFolderColumns}` : ""}
      ${includeUploads && includeDocuments ? `, null, ${noUploadColumns}` : ""}
    from (
      select tree_key from uploads.folders
      where bucket_id = :bucketId and ${isUnder("tree_key")}
        and uploads.tree_depth(f.tree_key) = :lastReadDepth
      order by tree_key limit 1) below
    cross join lateral (select ${totals === "counted" ? counted : noTotals}) totals`;
}

/** The results of visibility and filters for a folder `f`. */
function folderFlags(plan: TreePlan): string {
  const { path } = plan.filters;
  return `
    ${isInRanges("f.tree_key")} as inside,
    ${path === undefined ? "true" : folderPathMatches(path)} as path_matches,
    ${hasMatchingUpload(plan)} as has_matching_upload`;
}

function hasMatchingUpload(plan: TreePlan): string {
  const { visibility, filters, foldersWithMatches } = plan;
  const { upload: name } = filters;
  if (name === undefined) return "true";
  if (foldersWithMatches !== undefined) return "f.tree_key = any (:foldersWithMatches::text[])";
  if (name.caseSensitive || name.rule === "glob") {
    return `exists (select from ${uploadsInOrder(plan)})`;
  }
  // If an index entry has the names, and the upload is not hidden, the row is not needed.
  return `exists (
    select from (
      select u.upload_id, u.filter_text is null or u.integration_hidden as is_unsure
      from uploads.uploads u
      where ${isInFolder} and ${isShownTo(visibility)} and (
        u.filter_text is null or ${filterTextMatches("split_part(u.filter_text, chr(1), 1)")})
      offset 0) candidate
    where not candidate.is_unsure or exists (
      select from uploads.uploads u
      where u.bucket_id = :bucketId and u.upload_id = candidate.upload_id
        and ${foldedNameMatches}))`;
}

const noTotals = `null::bigint as upload_count, null::bigint as size_bytes,
  null::bigint as subtree_upload_count, null::bigint as subtree_size_bytes`;

// The totals of the subtree are added up while it is read.
const totalColumns = `
  count(*) as upload_count, coalesce(sum(u.size_bytes), 0)::bigint as size_bytes,
  null::bigint as subtree_upload_count, null::bigint as subtree_size_bytes`;

/** The join with the `totals` of a folder `f`. */
function totalsOfFolder({ totals, visibility }: TreePlan): string {
  if (totals === "stored") return `left join lateral (${storedTotals}) totals on true`;
  const counted = `${totalColumns} from uploads.uploads u
    where ${isInFolder} and flags.inside and ${isShownTo(visibility)}`;
  return `cross join lateral (select ${totals === "counted" ? counted : noTotals}) totals`;
}

// A folder without a row has no uploads in and under it: its totals are read as 0. With the offset,
// rows are looked up folder by folder, which takes less time than an aggregate for each.
const storedTotals = `
  select t.uploads as upload_count, t.size_bytes::bigint as size_bytes,
    t.subtree_uploads as subtree_upload_count,
    t.subtree_size_bytes::bigint as subtree_size_bytes
  from uploads.folder_totals t
  where t.bucket_id = :bucketId and t.tree_key = f.tree_key offset 0`;

function isVisibleFolder(query: TreePlan): string {
  const { visibility, filters } = query;
  // If nothing has to be searched below the depth limit, the first level below it tells whether a
  // folder is truncated.
  const isWhole = filters.path === undefined && filters.upload === undefined;
  const mayLeaveOut = isWhole && query.totals !== "counted" && visibility.ancestors.size === 0;
  return `f.bucket_id = :bucketId and f.tree_key >= :subtreeFrom and f.tree_key < :subtreeTo
    and (flags.inside or f.tree_key = any (:ancestors::text[]))
    and ${mayLeaveOut ? isWithin(query, 1) : "true"}`;
}

/** Whether an upload `u` is directly in a folder `f`. */
const isInFolder = "u.bucket_id = :bucketId and u.folder_key = f.tree_key";

/** The uploads `u` of a folder `f` that the caller may see, by filename, then ID. */
function uploadsInOrder({ visibility, filters: { upload: name } }: TreeQuery): string {
  const isShown = isShownTo(visibility);
  if (name === undefined || name.caseSensitive) {
    return `(select u.* from uploads.uploads u
      where ${isInFolder} and ${isShown} and ${name ? exactNameMatches : "true"}
      order by u.filename, u.upload_id) u`;
  }
  // Index entries tell which uploads may match, and only the rows of those are read. The offsets
  // keep the planner from joining both steps.
  return `(select u.upload_id from uploads.uploads u
      where ${isInFolder} and (u.filter_text is null or ${filterTextMatches()})
      order by u.filename, u.upload_id offset 0) candidate
    cross join lateral (select * from uploads.uploads u
      where u.bucket_id = :bucketId and u.upload_id = candidate.upload_id
        and ${isShown} and ${foldedNameMatches} offset 0) u`;
}

/** Whether a folder `f` is at most `levelsBelow` the depth limit, if there is one. */
function isWithin({ filters: { depthMax } }: TreeQuery, levelsBelow: 0 | 1): string {
  if (depthMax === 0) return "true";
  // The depth may be over 2^31-1.
  return `uploads.tree_depth(f.tree_key) <= :lastShownDepth::bigint + ${levelsBelow}`;
}
