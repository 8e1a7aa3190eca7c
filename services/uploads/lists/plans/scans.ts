/**
 * Plans that read an index in the order of the list until the page is full: best if many of its
 * entries belong to the list.
 */
import {
  areEntriesInRange,
  areRowsInRange,
  belongsToList,
  entryColumns,
  entryOrder,
  isAfterStart,
  isInIndex,
  type ListShape,
  listOrder,
  mayBelongToList,
  rowsOf,
} from "./conditions.ts";
import { limitOf, type PageSource, type RowBudget } from "./plan.ts";

/** The rows from the start of the page on, for lists that leave nothing out. */
export function wholePage(shape: ListShape, isFirst: boolean): PageSource {
  return {
    from: "uploads.uploads u",
    // Without a position, the first page need not compare the entries of the index with it.
    where: isFirst ? isInIndex(shape) : `${isInIndex(shape)} and ${isAfterStart(shape)}`,
    orderBy: listOrder(shape),
  };
}

/** Checks each row: best if nearly all belong to the list, or the index has nothing to check. */
export function rowScan(shape: ListShape, budget: RowBudget): PageSource {
  return {
    from: `(
      select u.* from uploads.uploads u where ${areRowsInRange(shape)}
      order by ${listOrder(shape)} ${limitOf(budget)}) u`,
    where: belongsToList(shape),
    orderBy: listOrder(shape),
    isTruncated:
      budget === undefined
        ? "false"
        : `exists (
            select from uploads.uploads u where ${areRowsInRange(shape)}
            order by ${listOrder(shape)} offset ${budget})`,
  };
}

/**
 * Checks each index entry, and the rows of those that may belong to the list. In a folder, only the
 * index by filename has something to check.
 *
 * @param isCounted if the page is not full, count the entries, to tell the end of the index from
 *   the end of the budget. Counting costs half as much as the scan. Without it, a page that is not
 *   full counts as truncated.
 */
export function indexScan(shape: ListShape, budget: RowBudget, isCounted: boolean): PageSource {
  const { sortBy } = shape;
  const entries = `
    select ${entryColumns(shape)} from uploads.uploads u
    where ${areEntriesInRange(shape)} order by ${entryOrder(shape)}`;
  // Nothing is sorted: the planner knows the order of the index.
  const candidates = `(
    select distinct u."${sortBy}", u.id_prefix from (${entries} ${limitOf(budget)}) u
    where ${mayBelongToList(shape)} order by ${entryOrder(shape)})`;
  return {
    from: rowsOf(candidates, shape, [sortBy, "id_prefix"]),
    where: `${belongsToList(shape)} and ${isAfterStart(shape)}`,
    orderBy: listOrder(shape, "c"),
    isTruncated: isCounted ? `exists (${entries} offset ${budget})` : String(budget !== undefined),
  };
}
