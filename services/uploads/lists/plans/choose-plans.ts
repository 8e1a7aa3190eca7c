/**
 * Chooses the plans of a page. They are tried one after the other until one is not truncated.
 *
 * A page can be found in two ways: scan an index in the order of the list until the page is full,
 * which is fast if much of it belongs to the list; or fetch all that belongs to the list and sort
 * it, which is fast if that is little. Which way is faster is found by trying. They take turns,
 * each time with 16 times the budget (4 times, if a skip-index scan nearly filled the page). So a
 * page costs a small multiple of what the faster way costs, whatever is in the bucket. The
 * planner's own estimates for names are wrong by a factor of up to 100.
 */
import { coveringFolders } from "../../model/tree-key-range.ts";
import type { UploadQuery } from "../../model/upload-query.ts";
import {
  fetchedRowsMax,
  indexFetchParameters,
  nearlyFillsPage,
  nextScanBudget,
  rangeBudgets,
  rowScanBudget,
  scanBudgets,
  shortFetchRows,
} from "./budgets.ts";
import {
  fetchOf,
  hasBits,
  hasTags,
  isDated,
  isWholeBucket,
  keyRanges,
  type ListScope,
  nGramsToSkipBy,
  type PageRequest,
  type UploadList,
} from "./parameters.ts";
import {
  type Plan,
  type PlannedRead,
  pageClassOf,
  type RangeColumn,
  type RowBudget,
  rangeColumns,
  type Truncation,
} from "./plan.ts";

/** Yields plans. The caller sends back how each was truncated. */
type Plans = Generator<PlannedRead, void, Truncation>;

export function* choosePlans(list: UploadList, scope: ListScope, page: PageRequest): Plans {
  if (holdsEverything(list, scope)) {
    yield { plan: { kind: "whole page", isFirst: page.after === undefined } };
    return;
  }
  if (holdsNearlyEverything(list, scope)) {
    yield { plan: { kind: "row scan", budget: rowScanBudget(pageClassOf(page.pageSize)) } };
  }
  yield* alternatingPlans(list, scope, page);
}

// These lists are the most frequent. They need one statement, which reads nothing but the page.
function holdsEverything({ visibility, query }: UploadList, scope: ListScope): boolean {
  return (
    !visibility.hidesUploads &&
    (scope.folder !== undefined || isWholeBucket(scope)) &&
    query.name === undefined &&
    query.filters === undefined &&
    !isDated(query) &&
    !hasTags(query)
  );
}

// All of the bucket but what is hidden from the caller.
function holdsNearlyEverything({ query }: UploadList, scope: ListScope): boolean {
  const isBoundByDate = query.sortBy !== "created_at" && isDated(query);
  const { name, filters } = query;
  return (
    (name ?? filters) === undefined && !hasTags(query) && !isBoundByDate && isNearlyBucket(scope)
  );
}

function isNearlyBucket({ folder, ranges }: ListScope): boolean {
  return folder === undefined && coveringFolders(ranges).includes("");
}

/** Scans and fetches in turn. The last scan has no budget, so it is never truncated. */
function* alternatingPlans(list: UploadList, scope: ListScope, page: PageRequest): Plans {
  const pageClass = pageClassOf(page.pageSize);
  const { first, shortMax } = scanBudgets(scope, pageClass);
  const kind = scanKind(list, scope);
  let bucketSize = Number.POSITIVE_INFINITY;
  let foundBefore = 0;
  let budget: RowBudget = first;
  while (budget !== undefined) {
    const isFirst = budget === first;
    // A scan may reach the end of a folder, but of a bucket only with the first budget.
    const isCounted = isFirst || scope.folder !== undefined;
    const isLong = Math.min(budget, bucketSize) > shortMax;
    const { found, uploadsInBucket } = yield { plan: scan(kind, budget, isCounted), isLong };
    bucketSize = uploadsInBucket;
    const nearlyFilled = nearlyFillsPage(found, foundBefore, pageClass);
    foundBefore = found;
    if (!isFirst || !nearlyFilled) {
      const growth = budget / first;
      const fetchedRows = fetchedRowsMax({ budget, growth, found }, pageClass);
      yield* fetches(list, scope, { growth, fetchedRows, uploadsInBucket });
    }
    const factor = nearlyFilled && kind === "skip-index scan" ? 4 : 16;
    budget = nextScanBudget(budget, factor, bucketSize);
  }
  yield { plan: scan(kind, undefined, false), isLong: bucketSize > shortMax };
}

type ScanKind = "row scan" | "index scan" | "skip-index scan";

function scanKind(list: UploadList, { folder }: ListScope): ScanKind {
  const { query } = list;
  if (folder !== undefined) {
    // Of the folder's indexes, only the one by filename has signatures.
    return query.sortBy === "filename" && hasBits(query) ? "index scan" : "row scan";
  }
  return nGramsToSkipBy(list).length > 0 ? "skip-index scan" : "index scan";
}

function scan(kind: ScanKind, budget: RowBudget, isCounted: boolean): Plan {
  return kind === "row scan" ? { kind, budget } : { kind, budget, isCounted };
}

interface FetchLimits {
  /** By how much the budget has grown since the first scan. */
  readonly growth: number;
  /** The most rows that are worth fetching. */
  readonly fetchedRows: number;
  readonly uploadsInBucket: number;
}

/** Each of them is looked up. A token has room for some hundreds of locations. */
const rangesMax = 256;

/** The fetches that apply to the list. How each was truncated makes no difference. */
function* fetches(list: UploadList, scope: ListScope, limits: FetchLimits): Plans {
  const { query } = list;
  const { growth, fetchedRows, uploadsInBucket } = limits;
  const ranges = rangeBudgets(scope, growth);
  const parameters = { fetchedMax: fetchedRows };
  const isLong = fetchedRows > shortFetchRows;
  for (const by of boundedSorts(query)) {
    const plan = { kind: "range", by, budget: ranges.keys } as const;
    yield { plan, parameters, isLong: isLong || ranges.isLong };
  }
  const fetch = fetchOf(list);
  // What is known to be too many need not be tried.
  if (fetch !== undefined && (fetch.folders?.uploads ?? 0) <= 2 * fetchedRows) {
    const plan = { kind: "index fetch" } as const;
    const parameters = indexFetchParameters(fetchedRows, uploadsInBucket);
    yield { plan, parameters, isLong };
  }
  if (!isNearlyBucket(scope) && scope.ranges.length <= rangesMax) {
    const plan = { kind: "folder", budget: ranges.folder } as const;
    yield { plan, parameters, isLong: isLong || ranges.isLong };
  }
}

/** The sorts, but for that of the list, whose keys the list bounds. */
function boundedSorts(query: UploadQuery): RangeColumn[] {
  const ranges = keyRanges(query);
  return rangeColumns.filter(
    (by) => by !== query.sortBy && (ranges[by].from ?? ranges[by].to) !== undefined,
  );
}
