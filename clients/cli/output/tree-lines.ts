/** A folder tree as people draw it, with the counts at its end. */
import type {
  FolderTreeNode,
  ListFolderTreeResponse,
  Rollup,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { escapeControls } from "./escape-controls.ts";
import { formatCount } from "./format-count.ts";
import { formatSize } from "./format-size.ts";

export interface TreeLinesOptions {
  /** The path of the folder that the tree was asked for. */
  readonly top: string;
  /** The tree has uploads; otherwise they are neither shown nor counted. */
  readonly includeUploads: boolean;
  /** Folders can be marked, which is counted. */
  readonly isFiltered: boolean;
}

/** The text of the tree, line by line. In each folder its folders come first, then its uploads. */
export function* treeLines(
  tree: ListFolderTreeResponse,
  options: TreeLinesOptions,
): Generator<string> {
  const counts = { folders: 0, uploads: tree.uploads.length, marked: 0 };
  yield `${escapeControls(options.top)}${rollupText(tree.rollup)}\n`;
  // A tree is deeper than calls should be: what is still to be drawn lies on a stack.
  const open = [branchesOf(tree, "")];
  for (let branches = open.at(-1); branches !== undefined; branches = open.at(-1)) {
    const branch = branches.pop();
    if (branch === undefined) {
      open.pop();
      continue;
    }
    yield `${branch.text}\n`;
    if (branch.node === undefined) continue;
    counts.folders += 1;
    counts.uploads += branch.node.uploads.length;
    if (branch.node.matchesFilter) counts.marked += 1;
    open.push(branchesOf(branch.node, branch.indentInside));
  }
  yield `\n${totalsOf(counts, options)}\n`;
}

interface Branch {
  readonly text: string;
  readonly indentInside: string;
  /** None for an upload. */
  readonly node: FolderTreeNode | undefined;
}

/** What is directly inside a folder, the last first. */
function branchesOf(
  { children, uploads }: Pick<FolderTreeNode, "children" | "uploads">,
  indent: string,
): Branch[] {
  const entries = [
    ...children.map((node) => ({ name: nodeText(node), node })),
    ...uploads.map(({ filename }) => ({ name: escapeControls(filename), node: undefined })),
  ];
  return entries
    .map(({ name, node }, index) => {
      const isLast = index === entries.length - 1;
      return {
        text: `${indent}${isLast ? "└── " : "├── "}${name}`,
        indentInside: `${indent}${isLast ? "    " : "│   "}`,
        node,
      };
    })
    .reverse();
}

function nodeText({ folder, truncated, matchesFilter, rollup }: FolderTreeNode): string {
  const path = folder?.path ?? "";
  const name = escapeControls(path.slice(path.lastIndexOf("/") + 1));
  return `${name}/${truncated ? " …" : ""}${matchesFilter ? " *" : ""}${rollupText(rollup)}`;
}

function rollupText(rollup: Rollup | undefined): string {
  if (rollup === undefined) return "";
  const { subtreeUploadCount, subtreeSizeBytes } = rollup;
  return `  (${formatCount(subtreeUploadCount, "upload")}, ${formatSize(subtreeSizeBytes)})`;
}

function totalsOf(
  counts: { folders: number; uploads: number; marked: number },
  { includeUploads, isFiltered }: TreeLinesOptions,
): string {
  return [
    formatCount(counts.folders, "folder"),
    ...(includeUploads ? [formatCount(counts.uploads, "upload")] : []),
    ...(isFiltered ? [`${counts.marked.toLocaleString("en-GB")} marked`] : []),
  ].join(", ");
}
