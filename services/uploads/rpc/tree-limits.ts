import { type TreeOptions, TreeWalk } from "../domain/folder-tree.ts";
import { Refusal } from "../domain/refusal.ts";
import type { Copy, Run } from "../store/database.ts";
import { type RowContent, readTreeRows } from "../store/tree-rows.ts";
import { countSubtree, totalOfSubtree } from "../store/tree-size.ts";
import type { TreeQuery, TreeScope } from "../store/tree-statement.ts";

/**
 * Refuses a tree of more folders and uploads than the server answers with; the top folder, which is
 * not in the answer, does not count. Most trees are in folders that cannot hold too much.
 */
export async function requireTreeSize(
  { run, copy }: { run: Run; copy: Copy },
  query: TreeQuery,
  options: TreeOptions,
  treeNodesMax: number,
): Promise<void> {
  const enough = treeNodesMax + 2;
  const countAtMost = await countSubtree(run, query, query.includeUploads, enough);
  if (countAtMost - 1 <= treeNodesMax) return;

  let count = -1;
  const countOne = () => {
    count += 1;
    if (count > treeNodesMax) throw treeTooLarge(treeNodesMax);
  };
  const sink = { open: countOne, upload: countOne, close: () => {} };
  const walk = new TreeWalk<RowContent>(options, sink, (content) => content);
  const rows = { query: { ...query, includeTotals: false }, includeDocuments: false };
  await readTreeRows(copy, rows, walk, async () => {});
}

/** Refuses a tree whose totals the contract's integers cannot hold. */
export async function requireExactTotals(run: Run, scope: TreeScope): Promise<void> {
  const { uploadCount, sizeBytes } = await totalOfSubtree(run, scope);
  if (uploadCount > integerMax || sizeBytes > integerMax) {
    throw new Refusal(
      "ROLLUP_TOO_LARGE",
      `a total is over ${integerMax}; name a folder with less in it, or leave out the rollups`,
    );
  }
}

const integerMax = BigInt(Number.MAX_SAFE_INTEGER);

function treeTooLarge(treeNodesMax: number): Refusal {
  return new Refusal(
    "TREE_TOO_LARGE",
    `the tree has more than ${treeNodesMax} folders and uploads; ` +
      "name a folder, set maxDepth or pathFilter, or leave out the uploads",
  );
}
