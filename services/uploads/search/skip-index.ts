/** What readers and writers of the skip index share (schema/0022). */
import sql, { raw, type Sql } from "sql-template-tag";
import type { SortColumn } from "../model/upload-query.ts";

/** Blocks in one part of a bitmap. */
export const blocksPerPart = 1024;

/** How many zones a part has. */
export const zonesInPart = raw(`${blocksPerPart}`);

/** The type of their bits. */
export const bitsOfPart = raw(`bit(${blocksPerPart})`);

/** The number of the zone that a key is in; the first begins with the order. */
export function zoneOf(sortBy: SortColumn, bucketId: string, key: Sql): Sql {
  const start = raw(`z."${sortBy}"`);
  return sql`coalesce((
    select z.block from uploads.skip_index_blocks z
    where z.bucket_id = ${bucketId} and ${start} <= ${key}
    order by ${start} desc limit 1), 0)`;
}
