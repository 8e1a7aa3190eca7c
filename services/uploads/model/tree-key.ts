/**
 * A path in a form whose byte order is the order of the tree. The database makes the same keys
 * (`uploads.tree_key`, schema/0001-tree-keys.sql); a test holds the two together.
 */
export type TreeKey = string;

/** The bytes of a key that the path does not have: between names, and before a byte 1 or 2. */
export const keySeparator = 1;
export const keyEscape = 2;

/** The root's key. */
const rootKey: TreeKey = "";

/** The key of the folder at `path`, which must be normalised. */
export function treeKey(path: string): TreeKey {
  if (path === "/") return rootKey;
  return path
    .replaceAll("\u0002", "\u0002\u0002")
    .replaceAll("\u0001", "\u0002\u0001")
    .replaceAll("/", "\u0001");
}

/** The condition in SQL that the key is that of the folder or of one under it. */
export function isInSubtree(key: string, folder: string): string {
  return `(${key} >= ${folder} and ${key} < ${subtreeEnd(folder)})`;
}

/** The condition in SQL that the key is that of a folder under the folder. */
export function isBelow(key: string, folder: string): string {
  return `(${key} > ${folder} and ${key} < ${subtreeEnd(folder)})`;
}

/** In SQL: what comes after the keys of the folder and of all under it, and before other keys. */
export function subtreeEnd(folder: string): string {
  return `${folder} || chr(2)`;
}

/** How many levels below the root a folder is. */
export function treeDepth(key: TreeKey): number {
  const names = key.replaceAll("\u0002\u0002", "").replaceAll("\u0002\u0001", "");
  return names.split("\u0001").length - 1;
}

/** The folder at a place in the order of keys, if one can be there, and all above; root first. */
export function keysDownTo(place: string): TreeKey[] {
  // In names, the characters 1 and 2 stand after a 2.
  const structure = place.replaceAll("\u0002\u0002", "--").replaceAll("\u0002\u0001", "--");
  const keys: TreeKey[] = [];
  for (
    let end = structure.indexOf("\u0001");
    end >= 0;
    end = structure.indexOf("\u0001", end + 1)
  ) {
    keys.push(place.slice(0, end));
  }
  return structure.endsWith("\u0002") ? keys : [...keys, place];
}
