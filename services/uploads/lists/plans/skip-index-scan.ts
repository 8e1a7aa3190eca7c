/**
 * An index scan of the bucket that skips blocks: it reads only those in which every n-gram of the
 * search occurs in some name (schema/0007-skip-index.sql). Best if many uploads belong to the list,
 * but are far from its start.
 */
import { bitsOfPart, blockOf, blocksPerPart } from "../../skip-index/layout.ts";
import {
  belongsToList,
  entryColumns,
  entryOrder,
  isAfterStart,
  keyParameter,
  type ListShape,
  listOrder,
  mayBelongToList,
  rowsOf,
} from "./conditions.ts";
import { limitOf, type PageSource, type RowBudget } from "./plan.ts";

/** A scan with a budget reads at most one block for each so many entries of the budget. */
const entriesPerBlockMin = 64;

/**
 * @param isCounted also find out whether the scan reached the end of the list. In a bucket with a
 *   skip index, it does so only if a date ends the list, because an index fetch finds a rare text
 *   sooner. For the same reason, the scan is not tried if an n-gram has no bitmap.
 */
export function skipIndexScan(shape: ListShape, budget: RowBudget, isCounted: boolean): PageSource {
  const isTried =
    isCounted && budget !== undefined
      ? `(:isEndedByDate or not ${hasSkipIndex} or ${hasAllBitmaps})`
      : "true";
  const key = `u."${shape.sortBy}"`;
  const blocksMax = budget === undefined ? undefined : Math.ceil(budget / entriesPerBlockMin);
  const entries = `
    unnest(${blocksToScan(shape, blocksMax)}) with ordinality numbered (block, number)
    cross join lateral ${boundsOfBlock(shape)} b
    cross join lateral (
      select ${entryColumns(shape)} from uploads.uploads u
      where u.bucket_number = :bucketNumber and ${isInBlock(shape)}
      order by ${entryOrder(shape)} offset 0) e
    where ${isTried}`;
  // The planner knows that the blocks are in order, and sorts only the entries of each. For
  // `distinct`, PostgreSQL 15 would sort all of them.
  const scanned = `(
    select numbered.number, e.* from ${entries} order by numbered.number ${limitOf(budget)})`;
  const isOverBudget =
    blocksMax === undefined
      ? "false"
      : `(cardinality(${blocksToScan(shape, blocksMax + 1)}) > ${blocksMax}
          or exists (select from ${entries} offset ${budget}))`;
  const candidates = `(
    select u.number, ${key}, u.id_prefix from ${scanned} u where ${mayBelongToList(shape)}
    group by u.number, ${key}, u.id_prefix order by u.number, ${entryOrder(shape)})`;
  return {
    from: rowsOf(candidates, shape, [shape.sortBy, "id_prefix"]),
    where: `${belongsToList(shape)} and ${isAfterStart(shape)}`,
    orderBy: `c.number, ${listOrder(shape, "c")}`,
    isTruncated: isCounted
      ? `((not :isEndedByDate and ${hasSkipIndex}) or ${isOverBudget})`
      : String(budget !== undefined),
  };
}

const hasSkipIndex = `exists (
  select from uploads.skip_index_blocks where bucket_number = :bucketNumber and block = 0)`;

/** Whether every n-gram has a bitmap: then none of them is rare. */
const hasAllBitmaps = `((
  select count(*) from uploads.skip_index_bitmaps
  where bucket_number = :bucketNumber and part = 0 and n_gram = any (:nGrams::text[])
) = cardinality(:nGrams::text[]))`;

/**
 * The numbers of the blocks in which all n-grams may occur, as an array in the order of the list. A
 * single null if the bucket has no skip index: one block then holds everything. The parts of the
 * bitmaps are read one after the other, as far as needed.
 */
function blocksToScan(shape: ListShape, blocksMax: number | undefined): string {
  const { sortBy, sortOrder } = shape;
  const startBlock = blockOf(sortBy, keyParameter("startKey", shape));
  const endBlock = blockOf(sortBy, keyParameter("endKey", shape));
  const isAscending = sortOrder === "asc";
  const [first, last] = isAscending ? [startBlock, endBlock] : [endBlock, startBlock];
  const parts = `generate_series(${startBlock} / ${blocksPerPart}, ${endBlock} / ${blocksPerPart},
    ${isAscending ? 1 : -1})`;
  // Without a bitmap, the n-gram may be anywhere.
  return `case when ${hasSkipIndex} then array(
    select s.block from ${parts} with ordinality parts (part, number)
    cross join lateral (
      select bit_and(m."${sortBy}") as blocks from uploads.skip_index_bitmaps m
      where m.bucket_number = :bucketNumber and m.part = parts.part
        and m.n_gram = any (:nGrams::text[])) bits
    cross join lateral (
      select s.block from uploads.skip_index_blocks s
      where s.bucket_number = :bucketNumber and s.block >= parts.part * ${blocksPerPart}
        and s.block < (parts.part + 1) * ${blocksPerPart}
        and s.block >= ${first} and s.block <= ${last}
        and coalesce(get_bit(bits.blocks, s.block % ${blocksPerPart}), 1) = 1
      order by s.block ${sortOrder} offset 0) s
    where bits.blocks is distinct from 0::${bitsOfPart}
    order by parts.number ${limitOf(blocksMax)}) else array[null::integer] end`;
}

/** The first key of a block, and that of the next block. Null means unbounded. */
function boundsOfBlock({ sortBy }: ListShape): string {
  const firstKeyOf = (block: string) => `(
    select s."${sortBy}" from uploads.skip_index_blocks s
    where s.bucket_number = :bucketNumber and s.block = ${block})`;
  return `(
    select ${firstKeyOf("numbered.block")} as from_key,
      ${firstKeyOf("numbered.block + 1")} as to_key
    offset 0)`;
}

/**
 * Whether an entry is in the block and between the start and the end of the list. Each bound is a
 * single comparison. With two, an index scan may begin at the one that is farther away.
 */
function isInBlock(shape: ListShape): string {
  const key = `u."${shape.sortBy}"`;
  const start = keyParameter("startKey", shape);
  const end = keyParameter("endKey", shape);
  const entry = `(${key}, u.id_prefix)`;
  // The ID of the start matters only if the list starts within the block.
  if (shape.sortOrder === "asc") {
    return `${entry} >= (greatest(b.from_key, ${start}),
        case when b.from_key > ${start} then '' else :startIdPrefix end)
      and ${entry} < (least(b.to_key, ${end}),
        case when b.to_key <= ${end} then '' else :afterEveryId end)`;
  }
  return `${entry} <= (least(b.to_key, ${start}),
      case when b.to_key <= ${start} then '' else :startIdPrefix end)
    and ${key} >= greatest(b.from_key, ${end})`;
}
