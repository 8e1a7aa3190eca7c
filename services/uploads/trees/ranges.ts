/** The ranges of tree keys that a tree is read from. */
import sql, { type Sql } from "sql-template-tag";
import { inRanges, type Visibility } from "../access/visibility.ts";
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

/** Whether the caller may see the content of the folder with this key, in the tree. */
export function isInside(key: Sql, { visibility, subtree }: TreeScope): Sql {
  return inRanges(key, intersectRanges(visibility.ranges, subtree));
}

/** Whether a folder has one of these depths. */
export function isOnLevel(levels: readonly number[]): Sql {
  return sql`uploads.tree_depth(tree_key) = any (${levels}::integer[])`;
}

/** The ranges as rows. */
export function rangesAsRows(ranges: readonly TreeKeyRange[]): Sql {
  const lower = ranges.map(({ from }) => from);
  const upper = ranges.map(({ to }) => to);
  return sql`unnest(${lower}::text[], ${upper}::text[]) as key_range (lower, upper)`;
}

/** The folders in ranges of a bucket, or the uploads in them, for which a condition holds. */
export function rowsInRanges(
  table: "folders" | "uploads",
  { bucketId, ranges }: { readonly bucketId: string; readonly ranges: readonly TreeKeyRange[] },
  condition: Sql = sql`true`,
): Sql {
  const [from, key] =
    table === "folders"
      ? [sql`uploads.folders`, sql`tree_key`]
      : [sql`uploads.uploads`, sql`folder_key`];
  const rowsFrom = (lower: Sql, upper: Sql) => sql`
    select * from ${from} where bucket_id = ${bucketId} and ${condition}
      and ${key} >= ${lower} and ${key} < ${upper}`;
  const [only, ...others] = ranges;
  if (only !== undefined && others.length === 0) {
    return sql`(${rowsFrom(sql`${only.from}`, sql`${only.to}`)}) rows_in_ranges`;
  }
  // With the offset, the planner reads each range from an index.
  const rowsInRange = rowsFrom(sql`key_range.lower`, sql`key_range.upper`);
  return sql`${rangesAsRows(ranges)}
    cross join lateral (${rowsInRange} offset 0) rows_in_ranges`;
}
