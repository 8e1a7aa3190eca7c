import { create } from "@bufbuild/protobuf";
import {
  type FolderTreeNode,
  FolderTreeNodeSchema,
  type ListFolderTreeResponse,
  ListFolderTreeResponseSchema,
  type Rollup,
  RollupSchema,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import type { TreeNode } from "../domain/folder-tree.ts";
import { Refusal } from "../domain/refusal.ts";
import type { TreeKey } from "../domain/tree-key.ts";
import { bareFolderOf, type FolderRow, folderOf } from "../store/folder-columns.ts";

const integerMax = BigInt(Number.MAX_SAFE_INTEGER);

/** The answer for a tree and the uploads of its folders. */
export function treeMessage(
  top: TreeNode<FolderRow>,
  uploads: ReadonlyMap<TreeKey, Upload[]>,
  includeRollups: boolean,
): ListFolderTreeResponse {
  return create(ListFolderTreeResponseSchema, {
    children: top.children.map((child) => nodeMessage(child, uploads, includeRollups)),
    uploads: uploads.get(top.key) ?? [],
    ...(includeRollups && { rollup: rollupMessage(top) }),
  });
}

function nodeMessage(
  node: TreeNode<FolderRow>,
  uploads: ReadonlyMap<TreeKey, Upload[]>,
  includeRollups: boolean,
): FolderTreeNode {
  return create(FolderTreeNodeSchema, {
    folder: node.bare ? bareFolderOf(node.row) : folderOf(node.row),
    children: node.children.map((child) => nodeMessage(child, uploads, includeRollups)),
    matchesFilter: node.marked,
    uploads: uploads.get(node.key) ?? [],
    truncated: node.truncated,
    ...(includeRollups && { rollup: rollupMessage(node) }),
  });
}

function rollupMessage({ own, subtree }: TreeNode<FolderRow>): Rollup {
  // The sums under a folder are the largest of its own and of all under it.
  if (subtree.uploadCount > integerMax || subtree.sizeBytes > integerMax) {
    throw new Refusal(
      "ROLLUP_TOO_LARGE",
      `a total is over ${integerMax}; name a folder with less in it, or leave out the rollups`,
    );
  }
  return create(RollupSchema, {
    uploadCount: own.uploadCount,
    sizeBytes: own.sizeBytes,
    subtreeUploadCount: subtree.uploadCount,
    subtreeSizeBytes: subtree.sizeBytes,
  });
}
