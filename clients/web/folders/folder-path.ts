/** Paths of folders: `/` is the root, `/photos/2026` has the parent `/photos`. */

/** Empty for the root. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The root is its own parent. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** The folders that lead to a folder, from the root to its parent. Empty for the root. */
export function ancestorsOf(path: string): readonly string[] {
  const ancestors: string[] = [];
  for (let at = path; at !== "/"; ) {
    at = parentOf(at);
    ancestors.unshift(at);
  }
  return ancestors;
}

/** A longer way is shown with its middle left out. */
const crumbsMax = 5;
const lastCrumbs = 3;

/** The way to a folder, as links above the list. */
interface Crumbs {
  /** The paths from the root to the folder itself. */
  readonly first: readonly string[];
  /** Left out until the reader asks for them. */
  readonly hidden: readonly string[];
  readonly last: readonly string[];
}

export function crumbsOf(folder: string): Crumbs {
  const all = folder === "/" ? ["/"] : [...ancestorsOf(folder), folder];
  if (all.length <= crumbsMax) return { first: all, hidden: [], last: [] };
  return { first: ["/"], hidden: all.slice(1, -lastCrumbs), last: all.slice(-lastCrumbs) };
}
