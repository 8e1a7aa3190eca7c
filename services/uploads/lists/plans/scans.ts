/**
 * Plans that read an index in the order of the list until the page is full: best if many of its
 * entries belong to the list.
 */
import {
  belongsToList,
  filterColumns,
  isAfterStart,
  isInIndex,
  isInIndexRange,
  type ListShape,
  listOrder,
  mayBelongToList,
  orderedIndex,
  rowsOf,
  sortKeys,
} from "./conditions.ts";
import { limitOf, type PageSource, type RowBudget } from "./plan.ts";

/** The rows from the start of the page on, for lists that leave nothing out. */
export function wholePage(shape: ListShape, isFirst: boolean): PageSource {
  const conditions = [isInIndex(shape)];
  if (shape.isFolder) conditions.push("u.folder_key = :folderKey");
  // Without a position, the first page need not compare the entries of the index with it.
  if (!isFirst) conditions.push(isAfterStart(shape));
  return {
    from: "uploads.uploads u",
    where: conditions.join(" and "),
    orderBy: listOrder(shape),
  };
}

/** Checks each row: best if nearly all belong to the list. */
export function rowScan(shape: ListShape, budget: RowBudget): PageSource {
  return {
    from: `(
      select u.* from uploads.uploads u where ${isInIndexRange(shape)}
      order by ${listOrder(shape)} ${limitOf(budget)}) u`,
    where: belongsToList(shape),
    orderBy: listOrder(shape),
    isTruncated:
      budget === undefined
        ? "false"
        : `exists (
            select from uploads.uploads u where ${isInIndexRange(shape)}
            order by ${listOrder(shape)} offset ${budget})`,
  };
}

/**
 * Checks each index entry, and the rows of those that may belong to the list.
 *
 * @param isCounted also count the scanned entries, to tell the end of the index from the end of the
 *   budget. Counting costs half as much as the scan. Without it, a page that is not full counts as
 *   truncated.
 */
export function indexScan(shape: ListShape, budget: RowBudget, isCounted: boolean): PageSource {
  const { sortBy, sortOrder } = shape;
  const index = orderedIndex(shape);
  const scanned = `(
    select u.upload_id, ${sortKeys[sortBy].column} as sort_key, ${filterColumns(index)}
    from uploads.uploads u where ${isInIndexRange(shape)}
    order by ${listOrder(shape)} ${limitOf(budget)})`;
  // The rows come in this order without a sort: the planner knows the order of the index.
  const candidates = `(
    select u.upload_id, u.sort_key from ${isCounted ? "scanned" : scanned} u
    where ${mayBelongToList(shape, index)}
    order by u.sort_key ${sortOrder}, u.upload_id ${sortOrder})`;
  return {
    // PostgreSQL reads a materialized query no further than it is asked to: all of it is read only
    // if the page is not full.
    with: isCounted ? `with scanned as materialized ${scanned}` : "",
    from: rowsOf(candidates),
    where: belongsToList(shape),
    orderBy: `c.sort_key ${sortOrder}, c.upload_id ${sortOrder}`,
    isTruncated: isCounted
      ? `(select count(*) from scanned) >= ${budget}`
      : String(budget !== undefined),
  };
}
