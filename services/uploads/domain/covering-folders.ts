import { compareBytes, type KeyRange, subtreeRange } from "./key-range.ts";
import type { TreeKey } from "./tree-key.ts";

/**
 * The folders which, each with all under it, hold all of the ranges and as little else as can be
 * said so: for each range the deepest one. They are in order, and none is under another.
 */
export function coveringFolders(ranges: readonly KeyRange[]): TreeKey[] {
  const folders: TreeKey[] = [];
  const found = ranges.map(deepestFolder).toSorted(compareBytes);
  for (const folder of found) {
    const last = folders.at(-1);
    if (last === undefined || compareBytes(folder, subtreeRange(last).to) >= 0)
      folders.push(folder);
  }
  return folders;
}

function deepestFolder({ from, to }: KeyRange): TreeKey {
  const holdsRange = (key: TreeKey) => compareBytes(to, subtreeRange(key).to) <= 0;
  return keysAt(from).findLast(holdsRange) ?? "";
}

/** The folder at a place in the order of keys, if one can be there, and all above; root first. */
function keysAt(place: string): TreeKey[] {
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
