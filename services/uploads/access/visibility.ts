/** What a caller may see of a bucket: as ranges of folders, and as SQL with named parameters. */
import { ancestorPaths } from "../model/path.ts";
import { type TreeKey, treeKey } from "../model/tree-key.ts";
import {
  mergeRanges,
  rangesContain,
  subtractRanges,
  subtreeRange,
  type TreeKeyRange,
} from "../model/tree-key-range.ts";
import { positionAt } from "../model/tree-position.ts";

/** What one caller may see of one bucket. */
export interface Visibility {
  /** The folders whose content the caller may see: disjoint ranges of tree keys, in order. */
  readonly ranges: readonly TreeKeyRange[];
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
  const hidden = mergeRanges(hiddenFolders.map(subtreeRange));
  const granted = mergeRanges(locations.map((location) => subtreeRange(treeKey(location))));
  const ancestors = new Set(locations.flatMap(ancestorPaths).map(treeKey));
  for (const key of ancestors) {
    if (rangesContain(granted, key) || rangesContain(hidden, key)) ancestors.delete(key);
  }
  return { ranges: subtractRanges(granted, hidden), ancestors, clientId, hidesUploads };
}

export function folderVisibility(visibility: Visibility, key: TreeKey): FolderVisibility {
  if (rangesContain(visibility.ranges, key)) return "inside";
  return visibility.ancestors.has(key) ? "ancestor" : "outside";
}

/**
 * Whether a tree key is in one of the ranges. The outer bounds are a separate condition because an
 * index can use it. The ranges are searched by bisection.
 *
 * @param column the column that holds the key.
 */
export function isInRanges(column: string): string {
  return `${column} >= :rangeFrom and ${column} < :rangeTo
    and (cardinality(:rangeStarts::text[]) = 1 or ${column} <@ (
      select range_agg(uploads.key_range(r.lower, r.upper))
      from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper)))`;
}

/** The same for the tree position of an upload `u`. */
export const isUploadInRanges = `u.tree_position >= (select ${positionAt(":rangeFrom")})
    and u.tree_position < (select ${positionAt(":rangeTo")})
    and (cardinality(:rangeStarts::text[]) = 1 or u.tree_position <@ (
      select range_agg(int8range(${positionAt("r.lower")}, ${positionAt("r.upper")}))
      from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper)))`;

/** The parameters of `isInRanges`. Without a range, no key is after `rangeFrom`. */
export function rangeParameters(ranges: readonly TreeKeyRange[]) {
  return {
    rangeFrom: ranges[0]?.from ?? "",
    rangeTo: ranges.at(-1)?.to ?? "",
    rangeStarts: ranges.map((range) => range.from),
    rangeEnds: ranges.map((range) => range.to),
  };
}

/**
 * Whether the caller may see an upload `u` whose folder it may see: it is not hidden, or an
 * integration of the caller's client hides it.
 */
export const isShown = `(not u.integration_hidden or exists (
  select from uploads.integrations own
  where own.bucket_number = :bucketNumber and own.integration_id = u.integration_id
    and own.oauth_client_id = :clientId))`;

/** `isShown`, or `true` for a bucket without hidden uploads. */
export function isShownTo({ hidesUploads }: Visibility): string {
  return hidesUploads ? isShown : "true";
}

/** The parameters of `isInRanges` and `isShown`, but for the bucket. */
export function visibilityParameters({
  ranges,
  clientId,
}: Pick<Visibility, "ranges" | "clientId">) {
  return { clientId: clientId ?? null, ...rangeParameters(ranges) };
}
