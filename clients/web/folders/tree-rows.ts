/** The rows of the tree as they are shown: a flat list, since only those in sight are rendered. */
import type { FolderEntry, FolderLevel, Totals } from "./folder-level.ts";

export interface TreeRow {
  readonly path: string;
  /** Empty for the root. */
  readonly name: string;
  /** 1 is the root. */
  readonly level: number;
  /** The place among the folders of the same parent, from 1, and their number. */
  readonly position: number;
  readonly siblingCount: number;
  readonly isExpandable: boolean;
  readonly isExpanded: boolean;
  /** Expanded, but its folders are not here yet. */
  readonly isLoading: boolean;
  readonly isMatch: boolean;
  /** Undefined until they are known. */
  readonly totals: Totals | undefined;
}

export interface Tree {
  readonly levelOf: (path: string) => FolderLevel | undefined;
  /** What the reader opened (true) or closed (false). */
  readonly toggled: ReadonlyMap<string, boolean>;
  /** Whether folders that only lead to matches open by themselves, if their level is here. */
  readonly isFiltered: boolean;
}

/**
 * The open folders whose levels the rows need, from the top down. It grows as levels arrive.
 */
export function openFoldersOf({ levelOf, toggled, isFiltered }: Tree): ReadonlySet<string> {
  const open = new Set<string>();
  if (toggled.get("/") !== false) open.add("/");
  const isOpen = ({ path, hasFolders, isMatch }: FolderEntry) => {
    const choice = toggled.get(path);
    if (choice !== undefined || !hasFolders) return choice === true && hasFolders;
    return isFiltered && !isMatch && levelOf(path) !== undefined;
  };
  // A set may grow while it is read: the levels below are visited after those above.
  for (const path of open) {
    for (const folder of levelOf(path)?.folders ?? []) if (isOpen(folder)) open.add(folder.path);
  }
  return open;
}

export function rowsOf({ levelOf }: Tree, open: ReadonlySet<string>): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const rootLevel = levelOf("/");
  const addRow = (folder: FolderEntry, level: number, position: number, siblingCount: number) => {
    const { path, name, hasFolders, isMatch } = folder;
    const isExpanded = open.has(path);
    const inside = isExpanded ? levelOf(path) : undefined;
    rows.push({
      path,
      name,
      level,
      position,
      siblingCount,
      isExpandable: hasFolders,
      isExpanded,
      isLoading: isExpanded && inside === undefined,
      isMatch,
      totals: path === "/" ? rootLevel?.totals : folder.totals,
    });
    const folders = inside?.folders ?? [];
    for (const [index, below] of folders.entries()) {
      addRow(below, level + 1, index + 1, folders.length);
    }
  };
  const hasFolders = rootLevel === undefined || rootLevel.folders.length > 0;
  const totals = rootLevel?.totals ?? { uploadCount: 0, sizeBytes: 0 };
  addRow({ path: "/", name: "", hasFolders, isMatch: false, totals }, 1, 1, 1);
  return rows;
}
