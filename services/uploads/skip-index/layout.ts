/** How the skip index (schema/0007-skip-index.sql) is stored. Lists read it, imports write it. */
import type { SortColumn } from "../model/upload-query.ts";

/** Blocks in one part of a bitmap. */
export const blocksPerPart = 1024;

/** The type of one part of a bitmap. */
export const bitsOfPart = `bit(${blocksPerPart})`;

/** The number of the block of `:bucketNumber` that a key is in, as SQL. The first block is 0. */
export function blockOf(sortBy: SortColumn, key: string): string {
  return `coalesce((
    select s.block from uploads.skip_index_blocks s
    where s.bucket_number = :bucketNumber and s."${sortBy}" <= ${key}
    order by s."${sortBy}" desc limit 1), 0)`;
}
