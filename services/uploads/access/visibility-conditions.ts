import sql, { raw, type Sql } from "sql-template-tag";
import type { KeyRange } from "../model/key-range.ts";
import type { View } from "./visibility.ts";

/**
 * Whether a tree key lies in one of the ranges, of which there is one at least. The outer bounds
 * are what an index can use; the set of ranges is looked up in by binary search.
 *
 * @param column the column that holds the key, written by us.
 */
export function inRanges(column: Sql, ranges: readonly KeyRange[]): Sql {
  const first = ranges.at(0);
  const last = ranges.at(-1);
  if (first === undefined || last === undefined) throw new RangeError("Need one range at least");
  const bounds = sql`${column} >= ${first.from} and ${column} < ${last.to}`;
  return ranges.length === 1 ? bounds : sql`${bounds} and ${column} <@ ${rangeSet(ranges)}`;
}

function rangeSet(ranges: readonly KeyRange[]): Sql {
  const from = ranges.map((range) => range.from);
  const to = ranges.map((range) => range.to);
  return sql`(select range_agg(uploads.key_range(r.lower, r.upper))
    from unnest(${from}::text[], ${to}::text[]) as r (lower, upper))`;
}

/** Whether the caller may see an upload `u` whose folder it may see. */
export function uploadIsShown({ clientId, hidesUploads }: View): Sql {
  if (!hidesUploads) return raw("true");
  if (clientId === undefined) return sql`not u.integration_hidden`;
  return sql`(not u.integration_hidden or exists (
    select from uploads.integrations own
    where own.bucket_id = u.bucket_id and own.integration_id = u.integration_id
      and own.oauth_client_id = ${clientId}))`;
}
