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
export interface View {
  /** The folders whose content the caller may see: disjoint ranges of tree keys, in order. */
  readonly ranges: readonly KeyRange[];
  /**
   * The folders above granted locations, whose content the caller may not see: they only lead
   * there. In no order.
   */
  readonly ancestors: ReadonlySet<TreeKey>;
  /**
   * The caller's client, which sees what its own integrations hide; none where it keeps no
   * integration in the bucket.
   */
  readonly clientId: string | undefined;
  /** Whether the bucket may hold hidden uploads. */
  readonly hidesUploads: boolean;
}

/** How a caller stands to a folder. */
export type Standing = "inside" | "ancestor" | "outside";

/**
 * @param locations the folders granted, each with all under it.
 * @param hiddenFolders the folders hidden from this caller, with all under them.
 */
export function viewOf(
  locations: readonly string[],
  hiddenFolders: readonly TreeKey[],
  clientId: string | undefined,
  hidesUploads = true,
): View {
  const hidden = uniteRanges(hiddenFolders.map(subtreeRange));
  const granted = uniteRanges(locations.map((location) => subtreeRange(treeKey(location))));
  const ancestors = new Set(locations.flatMap(ancestorPaths).map(treeKey));
  for (const key of ancestors) {
    if (rangesHold(granted, key) || rangesHold(hidden, key)) ancestors.delete(key);
  }
  return { ranges: subtractRanges(granted, hidden), ancestors, clientId, hidesUploads };
}

/** How the view's caller stands to the folder with this key. */
export function standing(view: View, key: TreeKey): Standing {
  if (rangesHold(view.ranges, key)) return "inside";
  return view.ancestors.has(key) ? "ancestor" : "outside";
}
