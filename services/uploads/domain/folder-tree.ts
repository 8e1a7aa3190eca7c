/**
 * Builds a tree from folders in tree order, with the rules of the filters: which folders stay,
 * which are marked, which list uploads, what the totals are.
 */
import type { TreeKey } from "./tree-key.ts";

/** A folder as the index holds it, and what the filters say of it. */
export interface TreeFolder<Row> {
  readonly key: TreeKey;
  readonly row: Row;
  /** The caller may not see its content: it only leads to folders that the caller may see. */
  readonly bare: boolean;
  /** Its path matches the path filter. */
  readonly pathMatches: boolean;
  /** It directly holds an upload that matches the upload filter. */
  readonly holdsMatch: boolean;
}

export interface TreeOptions {
  readonly hasPathFilter: boolean;
  readonly hasUploadFilter: boolean;
  readonly onlyMatches: boolean;
  /** Levels to keep; 0 is all. */
  readonly depthMax: number;
}

/** Number and bytes of uploads. */
export interface Totals {
  readonly uploadCount: bigint;
  readonly sizeBytes: bigint;
}

/** A folder in the tree. */
export interface TreeNode<Row> extends TreeFolder<Row> {
  readonly children: TreeNode<Row>[];
  readonly marked: boolean;
  /** It lists its uploads, where uploads are asked for. */
  readonly listsUploads: boolean;
  /** The depth limit cut its children. */
  truncated: boolean;
  /** Of the uploads directly inside. */
  readonly own: Totals;
  /** Of the uploads inside and under it. */
  subtree: Totals;
}

/**
 * @param folders the top folder, then all folders under it, in tree order.
 * @param totals of the uploads directly inside each folder; none for a folder without uploads.
 * @returns the top folder's node. It stays whatever the filters say.
 */
export function buildTree<Row>(
  folders: Iterable<TreeFolder<Row>>,
  totals: ReadonlyMap<TreeKey, Totals>,
  options: TreeOptions,
): TreeNode<Row> {
  const open: TreeNode<Row>[] = [];
  let top: TreeNode<Row> | undefined;
  // Closes the folders that `key` is not under: nothing more will come for them.
  const closeUntilAbove = (key: TreeKey | undefined) => {
    let last = open.at(-1);
    while (last !== undefined && last !== top && (key === undefined || !isUnder(key, last.key))) {
      open.pop();
      const parent = open.at(-1);
      if (parent !== undefined) close(last, parent, open.length, options);
      last = parent;
    }
  };
  for (const folder of folders) {
    closeUntilAbove(folder.key);
    const node = nodeOf(folder, totals.get(folder.key) ?? noTotals, options);
    top ??= node;
    open.push(node);
  }
  closeUntilAbove(undefined);
  if (top === undefined)
    throw new RangeError("Cannot build a tree: got no folder, need the top one");
  return top;
}

const noTotals: Totals = { uploadCount: 0n, sizeBytes: 0n };

function nodeOf<Row>(folder: TreeFolder<Row>, own: Totals, options: TreeOptions): TreeNode<Row> {
  const { hasPathFilter, hasUploadFilter } = options;
  const pathHolds = !hasPathFilter || folder.pathMatches;
  const uploadHolds = !hasUploadFilter || folder.holdsMatch;
  return {
    ...folder,
    children: [],
    marked: !folder.bare && (hasPathFilter || hasUploadFilter) && pathHolds && uploadHolds,
    listsUploads: !folder.bare && pathHolds,
    truncated: false,
    own,
    subtree: own,
  };
}

// Every folder under `node`, which is `depth` levels below the top, has been seen and closed.
function close<Row>(
  node: TreeNode<Row>,
  parent: TreeNode<Row>,
  depth: number,
  options: TreeOptions,
): void {
  parent.subtree = {
    uploadCount: parent.subtree.uploadCount + node.subtree.uploadCount,
    sizeBytes: parent.subtree.sizeBytes + node.subtree.sizeBytes,
  };
  if (node.children.length === 0 && !staysAlone(node, options)) return;
  if (depth === options.depthMax && node.children.length > 0) {
    node.truncated = true;
    node.children.length = 0;
  }
  parent.children.push(node);
}

// Whether a folder stays that leads to no other that stays.
function staysAlone<Row>(node: TreeNode<Row>, options: TreeOptions): boolean {
  const { hasPathFilter, hasUploadFilter, onlyMatches } = options;
  if (node.bare) return false;
  if (onlyMatches && (hasPathFilter || hasUploadFilter)) return node.marked;
  return !hasPathFilter || node.pathMatches;
}

function isUnder(key: TreeKey, above: TreeKey): boolean {
  return key.startsWith(`${above}\u0001`);
}
