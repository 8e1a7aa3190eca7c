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

/** The folders of a bucket that a tree consists of. */
export interface TreeScope {
  readonly bucketId: string;
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
export function scopeParameters({ bucketId, visibility, subtree }: TreeScope) {
  const ranges = intersectRanges(visibility.ranges, subtree);
  return {
    bucketId,
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

/** The folders in ranges of a bucket, or the uploads in them, for which a condition holds. */
export function rowsInRanges(
  table: "folders" | "uploads",
  ranges: readonly TreeKeyRange[],
  condition = "true",
): string {
  const key = table === "folders" ? "tree_key" : "folder_key";
  const rowsFrom = (lower: string, upper: string) => `
    select * from uploads.${table} where bucket_id = :bucketId and ${condition}
      and ${key} >= ${lower} and ${key} < ${upper}`;
  if (ranges.length === 1) return `(${rowsFrom(":readFrom", ":readTo")}) rows_in_ranges`;
  // With the offset, the planner reads each range from an index.
  const rowsInRange = rowsFrom("key_range.lower", "key_range.upper");
  return `${rangesAsRows} cross join lateral (${rowsInRange} offset 0) rows_in_ranges`;
}

/** The parameters of `rowsInRanges`, but for the bucket and those of the condition. */
export function readParameters(ranges: readonly TreeKeyRange[]) {
  return {
    readFrom: ranges[0]?.from,
    readTo: ranges[0]?.to,
    readStarts: ranges.map(({ from }) => from),
    readEnds: ranges.map(({ to }) => to),
  };
}
