/**
 * Which plans a page is read by, one after the other until one is not truncated.
 *
 * A page can be found in two ways: scan an index in the order of the list until the page is full,
 * which is fast if much of it belongs to the list; or fetch all that belongs to the list and sort
 * it, which is fast if that is little. Which way is faster is found by trying. They take turns,
 * each time with 16 times the budget (4 times, if a skip-index scan nearly filled the page). So a
 * page costs a small multiple of what the faster way costs, whatever is in the bucket. The
 * planner's own estimates for names are wrong by a factor of up to 100.
 */
import { coveringFolders } from "../../model/tree-key-range.ts";
import { sampledRowsMax } from "./fetches.ts";
import {
  hasTags,
  isDated,
  isSelective,
  isWholeBucket,
  type ListScope,
  nGramsToSkipBy,
  type PageRequest,
  readsManyTerms,
  type UploadList,
} from "./parameters.ts";
import {
  type PageClass,
  type PlannedRead,
  pageClassOf,
  type RowBudget,
  rowLimit,
  type Truncation,
} from "./plan.ts";

/** Yields plans. The caller sends back how each was truncated. */
type Plans = Generator<PlannedRead, void, Truncation>;

export function* choosePlans(list: UploadList, scope: ListScope, page: PageRequest): Plans {
  if (leavesNothingOut(list, scope)) {
    yield { plan: { kind: "whole page", isFirst: page.after === undefined } };
    return;
  }
  if (holdsNearlyAll(list, scope)) {
    const budget = firstBudget.rows * pageFactors[pageClassOf(page.pageSize)];
    yield { plan: { kind: "row scan", budget } };
  }
  yield* alternatingPlans(list, scope, page);
}

// The most frequent lists. They need one statement, which reads nothing but the page.
function leavesNothingOut({ visibility, query }: UploadList, scope: ListScope): boolean {
  return (
    !visibility.hidesUploads &&
    (scope.folder !== undefined || isWholeBucket(scope)) &&
    query.name === undefined &&
    !isDated(query) &&
    !hasTags(query)
  );
}

// Except for what is hidden from the caller.
function holdsNearlyAll({ query }: UploadList, { folder, ranges = [] }: ListScope): boolean {
  const isBoundByDate = query.sortBy !== "created_at" && isDated(query);
  return (
    query.name === undefined &&
    !hasTags(query) &&
    !isBoundByDate &&
    (folder !== undefined || coveringFolders(ranges).includes(""))
  );
}

/**
 * The first budget for a page of fifty: of index entries of a bucket, or of rows, which cost more.
 * In a folder, which is smaller, rows are read. Other budgets are multiples of these.
 */
const firstBudget = { entries: 4080, rows: 1020 };
const firstBudgetIn = ({ folder }: ListScope) =>
  folder === undefined ? firstBudget.entries : firstBudget.rows;
const pageFactors: Readonly<Record<PageClass, number>> = { small: 1, large: 16 };
/** Takes less than about 10 ms. */
const shortScanFactor = 4;
const largestBudget = 16_711_680;

function* alternatingPlans(list: UploadList, scope: ListScope, page: PageRequest): Plans {
  const isFolder = scope.folder !== undefined;
  const isSkipping = !isFolder && nGramsToSkipBy(list.query).length > 0;
  // The folder's index by filename does not have the creation time.
  const needsRows = isFolder && list.query.sortBy === "filename" && isDated(list.query);
  const pageClass = pageClassOf(page.pageSize);
  const rows = rowLimit[pageClass];
  const ofFifty = firstBudgetIn(scope);
  const first = ofFifty * pageFactors[pageClass];
  const shortBudget = Math.max(first, ofFifty * shortScanFactor);
  let bucketSize = Number.POSITIVE_INFINITY;
  const scan = (budget: RowBudget, isCounted: boolean): PlannedRead => {
    const isLong = Math.min(budget ?? bucketSize, bucketSize) > shortBudget;
    if (needsRows) return { plan: { kind: "row scan", budget }, isLong };
    const kind = isSkipping ? "skip-index scan" : "index scan";
    return { plan: { kind, budget, isCounted }, isLong };
  };
  let budget = first;
  let foundBefore = 0;
  while (budget <= Math.min(Math.max(bucketSize, smallBucket), largestBudget)) {
    const isFirst = budget === first;
    // A folder may end early; a bucket is larger than any budget but the first.
    const { found, uploadsInBucket } = yield scan(budget, isFirst || isFolder);
    // A bucket with uploads whose size is 0 was never counted.
    bucketSize = uploadsInBucket || smallBucket;
    // At the same rate, the next scan fills the page.
    const isNearlyFull = found + (found - foundBefore) * expectedGrowth > rows;
    foundBefore = found;
    if (!isNearlyFull || !isFirst) {
      // A fetch that costs more than to go on scanning is of no use.
      const useful = (budget * rows) / Math.max(found, 1) / entriesPerFetchedRow;
      const growth = budget / first;
      const fetchedRows = Math.ceil(Math.min(fetchedRowsFirst * growth, useful));
      yield* fetches(list, scope, { growth, fetchedRows, uploadsInBucket });
    }
    budget *= isNearlyFull && isSkipping ? 4 : 16;
  }
  yield scan(undefined, false);
}

/** How much more the next scan may find. It is longer still, but matches are spread unevenly. */
const expectedGrowth = 3;

/** A bucket that can be scanned in any case. */
const smallBucket = 100_000;

/** Fetching this many rows takes about as long as the second scan for a page of fifty. */
const fetchedRowsFirst = 5000;
/** Fetching a row takes about as long as scanning this many index entries. */
const entriesPerFetchedRow = 7;

interface FetchLimits {
  /** By how much the budget has grown since the first scan. */
  readonly growth: number;
  /** The most rows that are worth fetching. */
  readonly fetchedRows: number;
  readonly uploadsInBucket: number;
}

function* fetches(list: UploadList, scope: ListScope, limits: FetchLimits): Plans {
  const { fetchedRows } = limits;
  const parameters = { fetchedMax: fetchedRows };
  const isLong = fetchedRows > fetchedRowsFirst;
  // Few steps, because each is a statement of its own.
  const growth = [256, 16].find((step) => step <= limits.growth) ?? 1;
  const isByDate = isDated(list.query);
  if (isByDate && list.query.sortBy !== "created_at") {
    const plan = { kind: "date range", budget: firstBudgetIn(scope) * growth } as const;
    yield { plan, parameters, isLong: isLong || growth > 1 };
  }
  if (isSelective(list, scope)) {
    const plan = { kind: "index fetch" } as const;
    const isLongFetch = isLong || readsManyTerms(list);
    yield { plan, parameters: fetchParameters(limits), isLong: isLongFetch };
  }
  // The folder's index does not have the creation time.
  if (scope.folder !== undefined && !isByDate) {
    const plan = { kind: "folder", budget: 4 * firstBudget.entries * growth } as const;
    yield { plan, parameters, isLong: isLong || growth > 1 };
  }
}

/** Rows in the sample before a fetch: more if a few in a small sample would be too many. */
const sampledRows = { usual: 1000, large: sampledRowsMax };
/** If a sample has fewer matches than this, chance decides: a larger sample is taken. */
const sampledMatchesMin = 4;
/** A character is common if so large a part of the sample has it. */
const commonCharacterShare = 0.15;

function fetchParameters({ fetchedRows, uploadsInBucket }: FetchLimits) {
  const allowedShare = fetchedRows / Math.max(uploadsInBucket, 1);
  const isSmallShare = allowedShare * sampledRows.usual < sampledMatchesMin;
  const sampled = isSmallShare ? sampledRows.large : sampledRows.usual;
  return {
    // The estimate may be off by a factor of two.
    fetchedMax: 2 * fetchedRows,
    sampledRows: sampled,
    sampledMax: Math.ceil(sampled * allowedShare),
    commonCharacterMin: sampled * commonCharacterShare,
  };
}
