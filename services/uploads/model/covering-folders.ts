import { compareBytes, type KeyRange, subtreeRange } from "./key-range.ts";
import { keysDownTo, type TreeKey } from "./tree-key.ts";

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
  return keysDownTo(from).findLast(holdsRange) ?? "";
}
