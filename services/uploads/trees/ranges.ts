/** The ranges of tree keys that a tree is read from. */
import { type Visibility, visibilityParameters } from "../access/visibility.ts";
import {
  coveringFolders,
  intersectRanges,
  mergeRanges,
  rangesContain,
  subtreeRange,
  type TreeKeyRange,
} from "../model/tree-key-range.ts";
import { positionAt } from "../model/tree-position.ts";

/** The folders of a bucket that a tree consists of. */
export interface TreeScope {
  readonly bucketId: string;
  readonly bucketNumber: number;
  readonly visibility: Visibility;
  /** The top folder and all folders under it. */
  readonly subtree: TreeKeyRange;
}

/**
 * Ranges of keys, disjoint and in order, that contain all folders of the tree: the subtree or, if
 * its top folder only leads to the caller's locations, the locations and the folders above them.
 */
export function treeRanges({ visibility, subtree }: TreeScope): readonly TreeKeyRange[] {
  if (!visibility.ancestors.has(subtree.from)) return [subtree];
  const above = [...visibility.ancestors].filter((key) => rangesContain([subtree], key));
  const locations = coveringFolders(intersectRanges(visibility.ranges, subtree));
  return mergeRanges([
    // Keys of folders under this one begin with the character 1 after it.
    ...above.map((key) => ({ from: key, to: `${key}\u0001` })),
    ...locations.map(subtreeRange),
  ]);
}

/** The parameters of conditions on the folders of a tree, and on what the caller sees of them. */
export function scopeParameters({ bucketNumber, visibility, subtree }: TreeScope) {
  const ranges = intersectRanges(visibility.ranges, subtree);
  return {
    bucketNumber,
    subtreeFrom: subtree.from,
    subtreeTo: subtree.to,
    ...visibilityParameters({ ...visibility, ranges }),
  };
}

/** Whether a folder has one of the depths `:levels`. */
export const isOnLevel = "uploads.tree_depth(tree_key) = any (:levels::integer[])";

/** The ranges as rows. */
export const rangesAsRows =
  "unnest(:readStarts::text[], :readEnds::text[]) as key_range (lower, upper)";

/** The folders in ranges of a bucket for which a condition holds. */
export function foldersInRanges(ranges: readonly TreeKeyRange[], condition = "true"): string {
  // Indexes by level and by position have no keys.
  const foldersFrom = (lower: string, upper: string) => `
    select * from uploads.folders where bucket_number = :bucketNumber and ${condition}
      and tree_position >= (select ${positionAt(lower)})
      and tree_position < (select ${positionAt(upper)})`;
  if (ranges.length === 1) return `(${foldersFrom(":readFrom", ":readTo")}) folders_in_ranges`;
  // With the offset, the planner reads each range from an index.
  const foldersInRange = foldersFrom("key_range.lower", "key_range.upper");
  return `${rangesAsRows} cross join lateral (${foldersInRange} offset 0) folders_in_ranges`;
}

/** The parameters of `foldersInRanges`, but for the bucket and those of the condition. */
export function readParameters(ranges: readonly TreeKeyRange[]) {
  return {
    readFrom: ranges[0]?.from,
    readTo: ranges[0]?.to,
    readStarts: ranges.map(({ from }) => from),
    readEnds: ranges.map(({ to }) => to),
  };
}
