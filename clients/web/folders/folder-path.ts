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
