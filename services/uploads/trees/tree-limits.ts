import sql from "sql-template-tag";
import { inRanges, uploadIsShown } from "../access/visibility.ts";
import { ApiError } from "../model/api-error.ts";
import { intersectRanges } from "../model/key-range.ts";
import type { Copy, RunQuery } from "../postgres/statements.ts";
import { matchesMax } from "./tree-matches.ts";
import { rowsInParts, type TreeScope } from "./tree-parts.ts";
import { type RowContent, readTreeRows } from "./tree-rows.ts";
import type { TreePlan } from "./tree-statement.ts";
import { TreeWalk } from "./tree-walk.ts";

interface CountedTree {
  readonly plan: TreePlan;
  readonly treeNodesMax: number;
  /** Runs after the rows of one chunk are counted. */
  readonly afterChunk: () => Promise<void>;
}

/**
 * Throws `ApiError` TREE_TOO_LARGE for a tree with more than `treeNodesMax` folders and uploads.
 * The top folder is not part of the answer and not counted. Rows are only counted when an upper
 * bound is too large.
 */
export async function requireTreeSize(
  { run, copy }: { run: RunQuery; copy: Copy },
  { plan, treeNodesMax, afterChunk }: CountedTree,
): Promise<void> {
  if ((await countAtMost(run, plan, treeNodesMax + 2)) - 1 <= treeNodesMax) return;

  let count = -1;
  const countOne = () => {
    count += 1;
    if (count > treeNodesMax) throw treeTooLarge(treeNodesMax);
  };
  const sink = { open: countOne, upload: countOne, close: () => {} };
  const walk = new TreeWalk<RowContent>(plan.filters, sink, (content) => content);
  const reading = { plan: { ...plan, includeRollups: false }, includeDocuments: false };
  await readTreeRows(copy, reading, walk, afterChunk);
}

/** Throws `ApiError` ROLLUP_TOO_LARGE for totals beyond the contract's integers. */
export async function requireExactTotals(run: RunQuery, plan: TreePlan): Promise<void> {
  const atMost = plan.storedBytes ?? (await bytesAtMost(run, plan));
  if (atMost !== undefined && atMost <= integerMax) return;
  if (plan.storedBytes === undefined && (await bytesOfSubtree(run, plan)) <= integerMax) return;
  throw new ApiError(
    "ROLLUP_TOO_LARGE",
    `a total is over ${integerMax}; name a folder with less in it, or leave out the rollups`,
  );
}

const integerMax = BigInt(Number.MAX_SAFE_INTEGER);

function treeTooLarge(treeNodesMax: number): ApiError {
  return new ApiError(
    "TREE_TOO_LARGE",
    `the tree has more than ${treeNodesMax} folders and uploads; ` +
      "name a folder, set maxDepth or pathFilter, or leave out the uploads",
  );
}

/**
 * An upper bound of the folders and, if included, uploads in a tree, without hidden ones and
 * filters. The top folder counts too. Counting stops at `limit`.
 */
async function countAtMost(run: RunQuery, plan: TreePlan, limit: number): Promise<number> {
  const { foldersToMatches, includeUploads } = plan;
  if (foldersToMatches !== undefined) {
    return foldersToMatches.length + (includeUploads ? matchesMax : 0);
  }
  const ofBucket = await countOfBucket(run, plan);
  return ofBucket !== undefined && ofBucket < limit ? ofBucket : countInIndexes(run, plan, limit);
}

/** Undefined when the bucket has no stored size. */
async function countOfBucket(
  run: RunQuery,
  { bucketId, includeUploads }: TreePlan,
): Promise<number | undefined> {
  const [size] = await run<{ folders: string; uploads: string }>(
    sql`select folders, uploads from uploads.bucket_sizes where bucket_id = ${bucketId}`,
  );
  return size && Number(size.folders) + (includeUploads ? Number(size.uploads) : 0);
}

async function countInIndexes(run: RunQuery, plan: TreePlan, limit: number): Promise<number> {
  const { bucketId, levels, includeUploads } = plan;
  const isOnLevel = sql`uploads.tree_depth(tree_key) = any (${levels ?? []}::integer[])`;
  const folders = rowsInParts("folders", plan, levels === undefined ? sql`true` : isOnLevel);
  const uploads =
    levels === undefined
      ? rowsInParts("uploads", plan)
      : sql`(select tree_key from ${folders}) level
          join uploads.uploads on bucket_id = ${bucketId} and folder_key = tree_key`;
  const [counted] = await run<{ folders: string; uploads: string }>(sql`select
    (select count(*) from (select from ${folders} limit ${limit}) counted) as folders,
    (select count(*) from (select from ${uploads} limit ${includeUploads ? limit : 0}) counted)
      as uploads`);
  return Number(counted?.folders) + Number(counted?.uploads);
}

/** The number of largest uploads whose sizes are added up one by one. */
const largestMax = 1000;

/** An upper bound of the bytes of all uploads. Undefined when the bucket has no stored size. */
async function bytesAtMost(run: RunQuery, { bucketId }: TreeScope): Promise<bigint | undefined> {
  const [bound] = await run<{ bytes: string }>(sql`
    select bytes + least * (uploads - counted) as bytes
    from uploads.bucket_sizes, (
      select count(*) as counted, coalesce(sum(size_bytes), 0) as bytes,
        coalesce(min(size_bytes), 0)::numeric as least
      from (
        select size_bytes from uploads.uploads where bucket_id = ${bucketId}
        order by size_bytes desc limit ${largestMax}) largest) largest
    where bucket_id = ${bucketId}`);
  return bound && BigInt(bound.bytes);
}

/** The bytes of all uploads in the top folder and under it that the caller may see. */
async function bytesOfSubtree(
  run: RunQuery,
  { bucketId, visibility, subtree }: TreeScope,
): Promise<bigint> {
  const ranges = intersectRanges(visibility.ranges, subtree);
  if (ranges.length === 0) return 0n;
  const [total] = await run<{ size_bytes: string }>(sql`
    select coalesce(sum(u.size_bytes), 0) as size_bytes
    from uploads.uploads u
    where u.bucket_id = ${bucketId} and ${inRanges(sql`u.folder_key`, ranges)}
      and ${uploadIsShown(visibility, bucketId)}`);
  return BigInt(total?.size_bytes ?? 0);
}
