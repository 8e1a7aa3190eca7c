import { ApiError } from "../model/api-error.ts";
import type { RunQuery, StreamRows } from "../postgres/statements.ts";
import { matchesMax } from "./matches.ts";
import type { TreePlan } from "./plan.ts";
import { foldersInRanges, isOnLevel, readParameters } from "./ranges.ts";
import { type RowContent, readTreeRows } from "./rows.ts";
import { TreeWalk } from "./walk.ts";

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
  { run, stream }: { run: RunQuery; stream: StreamRows },
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
  const ofNothing = { includeDocuments: false, baseUrl: undefined } as const;
  const reading = { plan: { ...plan, totals: "none" }, ...ofNothing } as const;
  await readTreeRows(stream, reading, walk, afterChunk);
}

function treeTooLarge(treeNodesMax: number): ApiError {
  return new ApiError(
    "TREE_TOO_LARGE",
    `the tree has more than ${treeNodesMax} folders and uploads; ` +
      "name a folder, set maxDepth or pathFilter, or leave out the uploads",
  );
}

/**
 * An upper bound of the number of folders and, if included, uploads in a tree. It includes hidden
 * ones, those that filters remove, and the top folder. Counting stops at `limit` folders.
 */
async function countAtMost(run: RunQuery, plan: TreePlan, limit: number): Promise<number> {
  const { foldersToRead, includeUploads } = plan;
  if (foldersToRead !== undefined) {
    return foldersToRead.length + (includeUploads ? matchesMax : 0);
  }
  const ofBucket = await countOfBucket(run, plan);
  return ofBucket < limit ? ofBucket : countOfFolders(run, plan, limit);
}

async function countOfBucket(
  run: RunQuery,
  { bucketId, includeUploads }: TreePlan,
): Promise<number> {
  const [size] = await run<{ folders: string; uploads: string }>(
    "select folders, uploads from uploads.bucket_sizes where bucket_id = :bucketId",
    { bucketId },
  );
  return Number(size?.folders) + (includeUploads ? Number(size?.uploads) : 0);
}

async function countOfFolders(run: RunQuery, plan: TreePlan, limit: number): Promise<number> {
  const { bucketNumber, ranges, levels, includeUploads } = plan;
  const folders = foldersInRanges(ranges, levels && isOnLevel);
  const [counted] = await run<{ count: string }>(
    `select coalesce(sum(nodes), 0) as count from (
      select 1 + ${includeUploads ? "uploads" : "0"} as nodes
      from ${folders} limit :limit) counted`,
    { bucketNumber, levels, limit, ...readParameters(ranges) },
  );
  return Number(counted?.count);
}
