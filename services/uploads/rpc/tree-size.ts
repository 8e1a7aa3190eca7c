import type { TreeNode } from "../domain/folder-tree.ts";
import { Refusal } from "../domain/refusal.ts";
import type { TreeKey } from "../domain/tree-key.ts";

/** What a tree would answer with, before its uploads are read. */
export interface TreeSize {
  /** Folders in the answer; the top one, which is not in it, does not count. */
  readonly nodes: number;
  /** The folders that list their uploads, where uploads are asked for. */
  readonly listing: readonly TreeKey[];
}

export function treeSize(top: TreeNode<unknown>): TreeSize {
  const listing: TreeKey[] = [];
  const waiting = [top];
  let nodes = -1;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    nodes += 1;
    if (node.listsUploads) listing.push(node.key);
    for (const child of node.children) waiting.push(child);
  }
  return { nodes, listing };
}

/** Refuses a tree of more folders and uploads than the server answers with. */
export function requireTreeSize(size: number, treeNodesMax: number): void {
  if (size <= treeNodesMax) return;
  throw new Refusal(
    "TREE_TOO_LARGE",
    `the tree has more than ${treeNodesMax} folders and uploads; ` +
      "name a folder, set maxDepth or pathFilter, or leave out the uploads",
  );
}
