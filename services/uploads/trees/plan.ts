import { pathSegmentsMax } from "../model/path.ts";
import { keysDownTo, type TreeKey, treeDepth } from "../model/tree-key.ts";
import { intersectRanges, rangesContain, type TreeKeyRange } from "../model/tree-key-range.ts";
import type { RunQuery } from "../postgres/statements.ts";
import { findFoldersWithMatches } from "./matches.ts";
import {
  foldersInRanges,
  isOnLevel,
  readParameters,
  type TreeScope,
  treeRanges,
} from "./ranges.ts";
import type { TreeFilters } from "./request.ts";

export interface TreeQuery extends TreeScope {
  readonly filters: TreeFilters;
  readonly includeUploads: boolean;
  readonly includeRollups: boolean;
}

/** How the rows of a tree are read. */
export interface TreePlan extends TreeQuery {
  /** Ranges of keys that contain all folders of the tree (`treeRanges`). */
  readonly ranges: readonly TreeKeyRange[];
  /**
   * The depths of the folders that are read, the top one's first, if folders below them need not be
   * read. Undefined: all folders are read.
   */
  readonly levels: readonly number[] | undefined;
  /** All folders that directly hold a match of the upload filter. Undefined: not known. */
  readonly foldersWithMatches: readonly TreeKey[] | undefined;
  /** The only folders that are read: `foldersWithMatches` and those above. Undefined: all are. */
  readonly foldersToRead: readonly TreeKey[] | undefined;
  /** `stored` totals are those that imports maintain. Others are counted while the tree is read. */
  readonly totals: "none" | "stored" | "counted";
}

/** A tree of up to this many folders is read by level, whatever is below. */
const levelFoldersMax = 10_000;
/** At most this many folders are read by level: they are sorted before the first row. */
const sortedFoldersMax = 250_000;
/** For each folder, up to this many are read past. Beyond that, reading by level is faster. */
const passedFoldersMin = 4;

/** Chooses how the rows of a tree are read, by counting in an index. */
export async function planTree(run: RunQuery, query: TreeQuery): Promise<TreePlan> {
  const { upload } = query.filters;
  const ranges = treeRanges(query);
  const totals = chooseTotals(query);
  const foldersWithMatches = upload && (await findFoldersWithMatches(run, query, upload));
  const foldersToRead =
    foldersWithMatches && chooseFoldersToRead(query, foldersWithMatches, totals);
  const shownLevels = foldersToRead === undefined ? levelsShown(query) : undefined;
  const isByLevel =
    shownLevels !== undefined &&
    (await isReadingByLevelCheaper(run, { ...query, ranges }, shownLevels));
  const levels = isByLevel ? shownLevels : undefined;
  return { ...query, ranges, totals, foldersWithMatches, foldersToRead, levels };
}

/**
 * Makes PostgreSQL's planner choose a plan for `treeStatement` that returns its first row at once.
 * The settings apply for the rest of the transaction. The order of the rows does not depend on
 * them.
 */
export async function applyPlannerSettings(run: RunQuery, plan: TreePlan): Promise<void> {
  const { levels, foldersToRead, ranges } = plan;
  const isSorted = levels !== undefined || foldersToRead !== undefined || ranges.length > 1;
  await run(`select set_config('jit', 'off', true), set_config('enable_memoize', 'off', true),
    set_config('max_parallel_workers_per_gather', '0', true),
    set_config('enable_sort', '${isSorted ? "on" : "off"}', true)`);
}

/** Stored totals include every upload, so they are right only if nothing may be hidden. */
function chooseTotals({ includeRollups, visibility, subtree }: TreeQuery): TreePlan["totals"] {
  if (!includeRollups) return "none";
  const [range] = intersectRanges(visibility.ranges, subtree);
  const isWhole = range?.from === subtree.from && range.to === subtree.to;
  return isWhole && !visibility.hidesUploads ? "stored" : "counted";
}

/** The folders with matches and those above, if the tree needs no others. Counting needs all. */
function chooseFoldersToRead(
  { subtree, filters }: TreeQuery,
  foldersWithMatches: readonly TreeKey[],
  totals: TreePlan["totals"],
): TreeKey[] | undefined {
  if (!filters.onlyMatches || totals === "counted") return undefined;
  const isInSubtree = (key: TreeKey) => rangesContain([subtree], key);
  const keys = [subtree.from, ...foldersWithMatches.flatMap(keysDownTo)];
  return [...new Set(keys.filter(isInSubtree))];
}

/** The depths to read, if nothing below them has to be searched for matches. */
function levelsShown({ subtree, filters }: TreeQuery): number[] | undefined {
  const { path, upload, onlyMatches, depthMax } = filters;
  if (depthMax === 0 || path !== undefined) return undefined;
  if (onlyMatches && upload !== undefined) return undefined;
  const top = treeDepth(subtree.from);
  const depth = Math.min(depthMax, pathSegmentsMax);
  return Array.from({ length: depth + 1 }, (_, level) => top + level);
}

/** Whether reading the folders of these levels one by one takes less time than reading all. */
async function isReadingByLevelCheaper(
  run: RunQuery,
  { bucketNumber, ranges }: Pick<TreePlan, "bucketNumber" | "ranges">,
  levels: readonly number[],
): Promise<boolean> {
  const count = async (condition: string, countMax: number) => {
    const [counted] = await run<{ count: string }>(
      `select count(*) from (
        select from ${foldersInRanges(ranges, condition)} limit :countMax) counted`,
      { bucketNumber, levels, countMax, ...readParameters(ranges) },
    );
    return Number(counted?.count);
  };
  if ((await count(isOnLevel, levelFoldersMax + 1)) <= levelFoldersMax) return true;
  const onLevels = await count(isOnLevel, sortedFoldersMax + 1);
  const passed = passedFoldersMin * onLevels;
  return onLevels <= sortedFoldersMax && (await count("true", passed)) === passed;
}
