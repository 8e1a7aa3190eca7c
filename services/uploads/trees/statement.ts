import { isInRanges, isShown, isUploadInRanges, type Visibility } from "../access/visibility.ts";
import { folderColumns, noFolderColumns } from "../answers/folder-json.ts";
import { noUploadColumns, uploadColumns } from "../answers/upload-json.ts";
import { isBelow, subtreeEnd, treeDepth } from "../model/tree-key.ts";
import { positionAt } from "../model/tree-position.ts";
import type { NamedValues } from "../postgres/named-parameters.ts";
import {
  exactNameMatches,
  foldedNameMatches,
  folderPathMatches,
  likePattern,
  nameParameters,
} from "../search/name-conditions.ts";
import { hasSignature, isHiddenBySignature, signatureOfSearch } from "../search/signature.ts";
import type { TreePlan, TreeQuery } from "./plan.ts";
import {
  foldersInRanges,
  isOnLevel,
  rangesAsRows,
  readParameters,
  scopeParameters,
} from "./ranges.ts";

/**
 * The top folder and those under it that the caller may know of, in tree order. If the path of a
 * folder matches the path filter, its uploads that match the upload filter follow, by filename,
 * then ID prefix. The rows of uploads have no key. Rows below the depth limit have no document.
 * They are needed for `truncated`, totals and filters.
 *
 * Every part of the statement reads an index in the order of the answer: the first row arrives at
 * once, and only the folders of a few levels are sorted. Folders are ordered by `order by`, and so
 * are the uploads of one folder, as far as the index is: sorting those of each folder by ID too
 * would take as long as reading them. Uploads follow their folder because the database joins folder
 * by folder. `upload-order.ts` checks that, and does the rest of the order.
 */
export function treeStatement(plan: TreePlan, includeDocuments: boolean): string {
  const rows = [`select ${folderRow(plan, includeDocuments)}`];
  if (plan.includeUploads) rows.push(uploadRows(plan, includeDocuments));
  if (plan.levels !== undefined) rows.push(truncatedRow(plan, includeDocuments));
  const { folders, orderBy } = foldersInOrder(plan);
  return `
    select r.* from ${folders}
    cross join lateral (select ${folderFlags(plan)}) flags
    cross join lateral (select ${totalsOfFolder(plan)}) totals
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
    const keys = 'select tree_key collate "C" from unnest(:foldersToRead::text[]) as k (tree_key)';
    // With the offset, the planner looks these folders up one by one.
    const folders = `(${keys} order by tree_key) chosen
      cross join lateral (
        select * from uploads.folders
        where bucket_number = :bucketNumber and tree_key = chosen.tree_key offset 0) f`;
    return { folders, orderBy: "chosen.tree_key" };
  }
  if (levels !== undefined) {
    const onLevels = `select folders_in_ranges.* from ${foldersInRanges(ranges, isOnLevel)}`;
    return { folders: `(${onLevels} order by tree_position) f`, orderBy: "f.tree_position" };
  }
  if (ranges.length === 1) return { folders: "uploads.folders f", orderBy: "f.tree_key" };
  const folders = `(select * from ${rangesAsRows} order by lower collate "C") key_range
    cross join lateral (
      select * from uploads.folders
      where bucket_number = :bucketNumber
        and tree_key >= key_range.lower and tree_key < key_range.upper
      order by tree_key offset 0) f`;
  return { folders, orderBy: 'key_range.lower collate "C"' };
}

function folderRow(plan: TreePlan, includeDocuments: boolean): string {
  const columns = folderColumns({ withIntegrations: true, isRead: isWithin(plan, 0) });
  return `
    f.tree_position, not flags.inside as is_ancestor_only, flags.path_matches,
    flags.has_matching_upload, totals.*, ${includeDocuments ? columns : "f.tree_key"}
    ${plan.includeUploads && includeDocuments ? `, null::text, ${noUploadColumns}` : ""}`;
}

function uploadRows(plan: TreePlan, includeDocuments: boolean): string {
  return `
    select f.tree_position, null, null, null, null, null, null, null, null
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
  const counted = `${totalColumns} from uploads.uploads u
    where u.bucket_number = :bucketNumber and u.tree_position > f.tree_position
      and u.tree_position < (select ${positionAt("below.subtree_end")})
      and ${isUploadInRanges} and ${isShownInIndex(visibility)}`;
  return `
    select null, false, true, true, totals.*, below.tree_key
      ${includeDocuments ? `, ${noFolderColumns}` : ""}
      ${includeUploads && includeDocuments ? `, null, ${noUploadColumns}` : ""}
    from (
      select tree_key, ${subtreeEnd("f.tree_key")} as subtree_end from uploads.folders
      where bucket_number = :bucketNumber and ${isBelow("tree_key", "f.tree_key")}
        and ${isInRanges("tree_key")} and uploads.tree_depth(f.tree_key) = :lastReadDepth
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
  const { filters, foldersWithMatches } = plan;
  if (filters.upload === undefined) return "true";
  if (foldersWithMatches !== undefined) return "f.tree_key = any (:foldersWithMatches::text[])";
  return `exists (select from ${uploadsInOrder(plan)})`;
}

const noTotals = `null::bigint as upload_count, null::bigint as size_bytes,
  null::bigint as subtree_upload_count, null::bigint as subtree_size_bytes`;

// The totals of the subtree are added up while it is read.
const totalColumns = `
  count(*) as upload_count, coalesce(sum(u.size_bytes), 0)::bigint as size_bytes,
  null::bigint as subtree_upload_count, null::bigint as subtree_size_bytes`;

const storedTotals = `
  f.uploads as upload_count, f.size_bytes, f.subtree_uploads as subtree_upload_count,
  f.subtree_size_bytes`;

/** The `totals` of a folder `f`. */
function totalsOfFolder({ totals, visibility }: TreePlan): string {
  if (totals === "stored") return storedTotals;
  if (totals === "none") return noTotals;
  return `${totalColumns} from uploads.uploads u
    where ${isInFolder} and flags.inside and ${isShownInIndex(visibility)}`;
}

function isVisibleFolder(query: TreePlan): string {
  const { visibility, filters } = query;
  // If nothing has to be searched below the depth limit, the first level below it tells whether a
  // folder is truncated.
  const isWhole = filters.path === undefined && filters.upload === undefined;
  const mayLeaveOut = isWhole && query.totals !== "counted" && visibility.ancestors.size === 0;
  return `f.bucket_number = :bucketNumber and f.tree_key >= :subtreeFrom and f.tree_key < :subtreeTo
    and (flags.inside or f.tree_key = any (:ancestors::text[]))
    and ${mayLeaveOut ? isWithin(query, 1) : "true"}`;
}

/** Whether an upload `u` is directly in a folder `f`. */
const isInFolder = "u.bucket_number = :bucketNumber and u.tree_position = f.tree_position";

/** The uploads `u` of a folder `f` that the caller may see, by filename, then ID prefix. */
function uploadsInOrder({ visibility, filters: { upload: name } }: TreeQuery): string {
  const conditions = [isInFolder, isShownInIndex(visibility)];
  if (name !== undefined)
    conditions.push(name.caseSensitive ? exactNameMatches : foldedNameMatches);
  const isWanted = conditions.join(" and ");
  if (signatureOfSearch(name) === 0n) {
    return `(select u.* from uploads.uploads u
      where ${isWanted} order by u.filename, u.id_prefix) u`;
  }
  // Index entries tell which uploads may match, and only the rows of those are read. The offsets
  // keep the planner from joining both steps.
  return `(select distinct u.filename, u.id_prefix from (
        select u.filename, u.id_prefix from uploads.uploads u
        where ${isInFolder} and ${hasSignature}
        order by u.filename, u.id_prefix offset 0) u
      order by u.filename, u.id_prefix) candidate
    cross join lateral (select * from uploads.uploads u
      where ${isWanted} and u.filename = candidate.filename and u.id_prefix = candidate.id_prefix
      offset 0) u`;
}

/** Whether the caller may see an upload `u`: for most callers, index entries tell. */
function isShownInIndex({ hidesUploads, clientId }: Visibility): string {
  if (!hidesUploads) return "true";
  return clientId === undefined ? `not ${isHiddenBySignature}` : isShown;
}

/** Whether a folder `f` is at most `levelsBelow` the depth limit, if there is one. */
function isWithin({ filters: { depthMax } }: TreeQuery, levelsBelow: 0 | 1): string {
  if (depthMax === 0) return "true";
  // The depth may be over 2^31-1.
  return `uploads.tree_depth(f.tree_key) <= :lastShownDepth::bigint + ${levelsBelow}`;
}
