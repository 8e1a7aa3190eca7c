/**
 * How much the plans of a list may read (`choose-plans.ts`). Budgets count the entries of an index
 * of the bucket. In a folder, which is smaller, they count rows, which cost more.
 *
 *                                    bucket                folder
 *     uploads in the page       1–50    51–1000       1–50    51–1000
 *     first scan               4,080     65,280      1,020     16,320
 *     short scans, up to      16,320     65,280      4,080     16,320
 *     next scan               16 times the last one; 4 times if that skipped blocks and nearly
 *                             filled the page
 *     largest scan            16,711,680        4,177,920; then one without a budget
 *     fetch of a range        4,080 entries or 1,020 rows, 16 and 256 times that as scans grow
 *     fetch of folders        16,320 entries, 16 and 256 times that as scans grow
 *     rows of a fetch         up to 5,000, more as scans grow; of an index fetch, twice that
 */
import { sampledRowsMax } from "../../search/index-fetch.ts";
import type { ListScope } from "./parameters.ts";
import { type PageClass, type RowBudget, rowLimit } from "./plan.ts";

/** The first scan for a page of fifty. The other budgets are multiples of these. */
const smallPageBudget = { entries: 4080, rows: 1020 };
const pageFactor: Readonly<Record<PageClass, number>> = { small: 1, large: 16, count: 16 };
/** Takes less than about 10 ms. */
const shortScanFactor = 4;
const largestBudget = 16_711_680;

const smallPageBudgetIn = ({ folder }: ListScope) =>
  folder === undefined ? smallPageBudget.entries : smallPageBudget.rows;

/** The budget of a scan that checks rows because nearly all of them belong to the list. */
export function rowScanBudget(pageClass: PageClass): number {
  return smallPageBudget.rows * pageFactor[pageClass];
}

/** @returns the budget of the first scan, and the largest of a scan that is not long. */
export function scanBudgets(scope: ListScope, pageClass: PageClass) {
  const smallPage = smallPageBudgetIn(scope);
  const first = smallPage * pageFactor[pageClass];
  return { first, shortMax: Math.max(first, smallPage * shortScanFactor) };
}

/** Returns undefined if the next scan is the last, which has no budget. */
export function nextScanBudget(budget: number, factor: 4 | 16, bucketSize: number): RowBudget {
  const next = budget * factor;
  return next <= Math.min(Math.max(bucketSize, smallBucket), largestBudget) ? next : undefined;
}

/** A bucket that can be scanned in any case. */
const smallBucket = 100_000;

/** Whether a scan found so many uploads that the next one fills the page at the same rate. */
export function nearlyFillsPage(found: number, foundBefore: number, pageClass: PageClass): boolean {
  return found + (found - foundBefore) * expectedGrowth > rowLimit[pageClass];
}

/** How much more the next scan may find. It is longer still, but matches are spread unevenly. */
const expectedGrowth = 3;

/** The most rows that are worth fetching after a scan. */
export function fetchedRowsMax(
  scan: { readonly budget: number; readonly growth: number; readonly found: number },
  pageClass: PageClass,
): number {
  const { budget, growth, found } = scan;
  // A fetch must not cost more than to continue scanning.
  const useful = (budget * rowLimit[pageClass]) / Math.max(found, 1) / entriesPerFetchedRow;
  return Math.ceil(Math.min(shortFetchRows * growth, useful));
}

/** Fetching this many rows takes about as long as the second scan for a page of fifty. */
export const shortFetchRows = 5000;
/** Fetching a row takes about as long as scanning this many index entries. */
const entriesPerFetchedRow = 12;

/**
 * The budgets of the fetches that read a range of an index, and whether they may take long.
 *
 * @param growth by how much the budget of scans has grown since the first.
 */
export function rangeBudgets(scope: ListScope, growth: number) {
  // Few steps, because each is a statement of its own.
  const factor = [256, 16].find((step) => step <= growth) ?? 1;
  return {
    keys: smallPageBudgetIn(scope) * factor,
    folder: 4 * smallPageBudget.entries * factor,
    isLong: factor > 1,
  };
}

/** Rows in the sample before an index fetch. The large one is for when few matches are allowed. */
const sampledRows = { usual: 1000, large: sampledRowsMax };
/** If the usual sample may have fewer matches than this, chance decides: the large one is taken. */
const sampledMatchesMin = 4;

/** The parameters of an index fetch of so many rows. */
export function indexFetchParameters(fetchedRows: number, uploadsInBucket: number) {
  const allowedShare = fetchedRows / Math.max(uploadsInBucket, 1);
  const isSmallShare = allowedShare * sampledRows.usual < sampledMatchesMin;
  const sampled = isSmallShare ? sampledRows.large : sampledRows.usual;
  return {
    // The estimate may be off by a factor of two.
    fetchedMax: 2 * fetchedRows,
    sampledRows: sampled,
    sampledMax: Math.ceil(sampled * allowedShare),
  };
}
