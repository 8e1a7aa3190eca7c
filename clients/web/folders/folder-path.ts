/** Paths of folders: `/` is the root, `/photos/2026` has the name `2026`. */

/** Empty for the root. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
