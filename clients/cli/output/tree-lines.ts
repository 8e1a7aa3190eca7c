/** Draws a folder tree as lines of text, with totals at the end. */
import type {
  FolderTreeNode,
  ListFolderTreeResponse,
  Rollup,
} from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { escapeName, formatCount, formatSize } from "./format.ts";

export interface TreeLinesOptions {
  /** The path of the requested folder. */
  readonly top: string;
  /** Whether the tree has uploads; if not, they are neither shown nor counted. */
  readonly includeUploads: boolean;
  /** Whether folders can be marked; then the marked ones are counted. */
  readonly isFiltered: boolean;
}

/** Yields the lines of the tree. In each folder the folders precede the uploads. */
export function* treeLines(
  tree: ListFolderTreeResponse,
  options: TreeLinesOptions,
): Generator<string> {
  const counts = { folders: 0, uploads: tree.uploads.length, marked: 0 };
  yield `${escapeName(options.top)}${rollupText(tree.rollup)}\n`;
  // A stack instead of recursion, since a tree can be deep. It holds what is not drawn yet.
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
  /** Undefined for an upload. */
  readonly node: FolderTreeNode | undefined;
}

/** The direct children of a folder, in reverse order. */
function branchesOf(
  { children, uploads }: Pick<FolderTreeNode, "children" | "uploads">,
  indent: string,
): Branch[] {
  const entries = [
    ...children.map((node) => ({ name: nodeText(node), node })),
    ...uploads.map(({ filename }) => ({ name: escapeName(filename), node: undefined })),
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
  const name = escapeName(path.slice(path.lastIndexOf("/") + 1));
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
  const totals = [formatCount(counts.folders, "folder")];
  if (includeUploads) totals.push(formatCount(counts.uploads, "upload"));
  if (isFiltered) totals.push(`${counts.marked.toLocaleString("en-GB")} marked`);
  return totals.join(", ");
}
