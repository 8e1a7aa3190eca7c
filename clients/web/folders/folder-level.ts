/** Levels of the tree. A level is the folders directly inside a folder. */
import { nameOf } from "./folder-path.ts";

/** An answer of `ListFolderTree` as JSON has it. Members with default values may be left out. */
export interface JsonTree {
  readonly children?: readonly JsonNode[];
  readonly rollup?: JsonRollup;
}

export interface JsonNode extends JsonTree {
  readonly folder?: { readonly path?: string };
  readonly matchesFilter?: boolean;
  readonly truncated?: boolean;
}

interface JsonRollup {
  readonly subtreeUploadCount?: number | string;
  readonly subtreeSizeBytes?: number | string;
}

/** Of everything inside and under a folder. */
export interface Totals {
  readonly uploadCount: number;
  readonly sizeBytes: number;
}

export interface FolderEntry {
  readonly path: string;
  readonly name: string;
  /** Whether there are folders inside; with a filter, folders that match or lead to matches. */
  readonly hasFolders: boolean;
  /** Whether its own path matches the filter. False without a filter. */
  readonly isMatch: boolean;
  readonly totals: Totals;
}

export interface FolderLevel {
  /** By path. */
  readonly folders: readonly FolderEntry[];
  /** Of the folder itself. */
  readonly totals: Totals;
}

/**
 * Every level of an answer, by the path of its folder. `path` is the folder that was asked for. A
 * folder whose level the answer leaves out is `truncated` there.
 */
export function levelsOf(tree: JsonTree, path: string): ReadonlyMap<string, FolderLevel> {
  const levels = new Map([[path, levelOf(tree)]]);
  const addBelow = ({ children = [] }: JsonTree) => {
    for (const node of children) {
      if (node.children === undefined || node.children.length === 0) continue;
      levels.set(node.folder?.path ?? "", levelOf(node));
      addBelow(node);
    }
  };
  addBelow(tree);
  return levels;
}

/** Keeps only what rows show: an answer of 10,000 folders needs many times the memory. */
export function levelOf({ children = [], rollup }: JsonTree): FolderLevel {
  return { folders: children.map(folderEntryOf), totals: totalsOf(rollup) };
}

export function folderEntryOf(node: JsonNode): FolderEntry {
  const path = node.folder?.path ?? "";
  return {
    path,
    name: nameOf(path),
    hasFolders: node.truncated === true || (node.children?.length ?? 0) > 0,
    isMatch: node.matchesFilter === true,
    totals: totalsOf(node.rollup),
  };
}

function totalsOf(rollup: JsonRollup | undefined): Totals {
  return {
    uploadCount: Number(rollup?.subtreeUploadCount ?? 0),
    sizeBytes: Number(rollup?.subtreeSizeBytes ?? 0),
  };
}
