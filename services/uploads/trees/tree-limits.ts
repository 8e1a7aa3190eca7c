import { ApiError } from "../model/api-error.ts";
import type { Copy, Run } from "../postgres/database.ts";
import { type RowContent, readTreeRows } from "./tree-rows.ts";
import { bytesAtMost, bytesOfSubtree, countAtMost } from "./tree-size.ts";
import type { TreePlan, TreeScope } from "./tree-statement.ts";
import { type TreeOptions, TreeWalk } from "./tree-walk.ts";

/**
 * Throws `ApiError` TREE_TOO_LARGE for a tree with more than `treeNodesMax` folders and uploads.
 * The top folder is not part of the answer and not counted. Most trees are small enough by an
 * upper bound; only the others are counted.
 */
export async function requireTreeSize(
  { run, copy }: { run: Run; copy: Copy },
  plan: TreePlan,
  options: TreeOptions,
  treeNodesMax: number,
): Promise<void> {
  if ((await countAtMost(run, plan, treeNodesMax + 2)) - 1 <= treeNodesMax) return;

  let count = -1;
  const countOne = () => {
    count += 1;
    if (count > treeNodesMax) throw treeTooLarge(treeNodesMax);
  };
  const sink = { open: countOne, upload: countOne, close: () => {} };
  const walk = new TreeWalk<RowContent>(options, sink, (content) => content);
  const rows = { plan: { ...plan, includeTotals: false }, includeDocuments: false };
  await readTreeRows(copy, rows, walk, async () => {});
}

/** Throws `ApiError` ROLLUP_TOO_LARGE for totals beyond the contract's integers. */
export async function requireExactTotals(run: Run, scope: TreeScope): Promise<void> {
  const atMost = await bytesAtMost(run, scope);
  if (atMost !== undefined && atMost <= integerMax) return;
  if ((await bytesOfSubtree(run, scope)) <= integerMax) return;
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
