import { keysDownTo, type TreeKey } from "./tree-key.ts";

/** The tree keys from `from` up to, not including, `to`, in byte order. */
export interface TreeKeyRange {
  readonly from: TreeKey;
  readonly to: TreeKey;
}

/** A folder and all under it. */
export function subtreeRange(key: TreeKey): TreeKeyRange {
  return { from: key, to: `${key}\u0002` };
}

/** The keys in any of the ranges, as disjoint ranges in order. */
export function mergeRanges(ranges: readonly TreeKeyRange[]): TreeKeyRange[] {
  const sorted = ranges.toSorted((a, b) => compareBytes(a.from, b.from));
  const merged: TreeKeyRange[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last === undefined || compareBytes(last.to, range.from) < 0) merged.push(range);
    else if (compareBytes(last.to, range.to) < 0) {
      merged[merged.length - 1] = { from: last.from, to: range.to };
    }
  }
  return merged;
}

/** The keys of `ranges` that are in none of `without`. Both are disjoint and in order. */
export function subtractRanges(
  ranges: readonly TreeKeyRange[],
  without: readonly TreeKeyRange[],
): TreeKeyRange[] {
  const left: TreeKeyRange[] = [];
  const holes = without.values();
  let hole = holes.next().value;
  for (const range of ranges) {
    let from = range.from;
    while (hole !== undefined && compareBytes(hole.from, range.to) < 0) {
      if (compareBytes(from, hole.from) < 0) left.push({ from, to: hole.from });
      if (compareBytes(from, hole.to) < 0) from = hole.to;
      // A hole that reaches past this range may touch the next one.
      if (compareBytes(range.to, hole.to) < 0) break;
      hole = holes.next().value;
    }
    if (compareBytes(from, range.to) < 0) left.push({ from, to: range.to });
  }
  return left;
}

/** The part of `ranges` that is in `window`. */
export function intersectRanges(
  ranges: readonly TreeKeyRange[],
  window: TreeKeyRange,
): TreeKeyRange[] {
  const common: TreeKeyRange[] = [];
  for (const range of ranges) {
    const from = compareBytes(range.from, window.from) < 0 ? window.from : range.from;
    const to = compareBytes(range.to, window.to) < 0 ? range.to : window.to;
    if (compareBytes(from, to) < 0) common.push({ from, to });
  }
  return common;
}

/** Whether one of the ranges, disjoint and in order, contains the key. */
export function rangesContain(ranges: readonly TreeKeyRange[], key: TreeKey): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const range = ranges[middle];
    if (range === undefined || compareBytes(key, range.from) < 0) high = middle;
    else if (compareBytes(key, range.to) < 0) return true;
    else low = middle + 1;
  }
  return false;
}

/**
 * The folders that, each with everything under it, hold all ranges and as little else as possible:
 * the deepest one for each range. They are in order, and none is under another.
 */
export function coveringFolders(ranges: readonly TreeKeyRange[]): TreeKey[] {
  const folders: TreeKey[] = [];
  const found = ranges.map(deepestFolder).toSorted(compareBytes);
  for (const folder of found) {
    const last = folders.at(-1);
    if (last === undefined || compareBytes(folder, subtreeRange(last).to) >= 0)
      folders.push(folder);
  }
  return folders;
}

function deepestFolder({ from, to }: TreeKeyRange): TreeKey {
  const holdsRange = (key: TreeKey) => compareBytes(to, subtreeRange(key).to) <= 0;
  return keysDownTo(from).findLast(holdsRange) ?? "";
}

/**
 * Compares as the database does, by UTF-8 bytes, which is by code points. JavaScript's own order
 * is by UTF-16 units and puts U+FF5E after an emoji.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const unitOfA = a.charCodeAt(at);
    const unitOfB = b.charCodeAt(at);
    if (unitOfA !== unitOfB) return orderOfUnit(unitOfA) - orderOfUnit(unitOfB);
  }
  return a.length - b.length;
}

// Surrogates, which stand for the code points above U+FFFF, come after all other units.
function orderOfUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
