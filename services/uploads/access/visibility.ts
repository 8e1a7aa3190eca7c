import {
  type KeyRange,
  rangesHold,
  subtractRanges,
  subtreeRange,
  uniteRanges,
} from "../model/key-range.ts";
import { ancestorPaths } from "../model/path.ts";
import { type TreeKey, treeKey } from "../model/tree-key.ts";

/** What one caller may see of one bucket. */
export interface Visibility {
  /** The folders whose content the caller may see: disjoint ranges of tree keys, in order. */
  readonly ranges: readonly KeyRange[];
  /**
   * The folders above granted locations. The caller may not see their content: they only lead to
   * the locations.
   */
  readonly ancestors: ReadonlySet<TreeKey>;
  /**
   * The caller's client, which sees what its own integrations hide. Undefined if it has no
   * integrations in the bucket.
   */
  readonly clientId: string | undefined;
  /** Whether the bucket may hold hidden uploads. */
  readonly hidesUploads: boolean;
}

/** Whether a caller sees a folder with its content, as the way to a location, or not at all. */
export type FolderVisibility = "inside" | "ancestor" | "outside";

/**
 * @param locations the granted folders, each with everything under it.
 * @param hiddenFolders the folders hidden from this caller, each with everything under it.
 */
export function visibilityOf(
  locations: readonly string[],
  hiddenFolders: readonly TreeKey[],
  clientId: string | undefined,
  hidesUploads = true,
): Visibility {
  const hidden = uniteRanges(hiddenFolders.map(subtreeRange));
  const granted = uniteRanges(locations.map((location) => subtreeRange(treeKey(location))));
  const ancestors = new Set(locations.flatMap(ancestorPaths).map(treeKey));
  for (const key of ancestors) {
    if (rangesHold(granted, key) || rangesHold(hidden, key)) ancestors.delete(key);
  }
  return { ranges: subtractRanges(granted, hidden), ancestors, clientId, hidesUploads };
}

export function folderVisibility(visibility: Visibility, key: TreeKey): FolderVisibility {
  if (rangesHold(visibility.ranges, key)) return "inside";
  return visibility.ancestors.has(key) ? "ancestor" : "outside";
}
