/** What a caller may see, as SQL. The parameters have names (`postgres/named-parameters.ts`). */
import type { Sql } from "sql-template-tag";
import type { KeyRange } from "../model/key-range.ts";
import { bindParameters } from "../postgres/named-parameters.ts";
import type { Visibility } from "./visibility.ts";

/**
 * Whether a tree key is in one of the ranges. An index can use the outer bounds. The set of ranges
 * is searched by bisection.
 *
 * @param column the column that holds the key.
 */
export function isInRanges(column: string): string {
  return `${column} >= :rangeFrom and ${column} < :rangeTo
    and (cardinality(:rangeStarts::text[]) = 1 or ${column} <@ (
      select range_agg(uploads.key_range(r.lower, r.upper))
      from unnest(:rangeStarts::text[], :rangeEnds::text[]) as r (lower, upper)))`;
}

/** The parameters of `isInRanges`. Throws `RangeError` if there is no range. */
export function rangeParameters(ranges: readonly KeyRange[]) {
  const [first] = ranges;
  const last = ranges.at(-1);
  if (first === undefined || last === undefined) throw new RangeError("Need one range at least");
  return {
    rangeFrom: first.from,
    rangeTo: last.to,
    rangeStarts: ranges.map((range) => range.from),
    rangeEnds: ranges.map((range) => range.to),
  };
}

/**
 * Whether the caller may see an upload `u` whose folder it may see: it is not hidden, or an
 * integration of the caller's client hides it.
 */
export const isShown = `(not u.integration_hidden or exists (
  select from uploads.integrations own
  where own.bucket_id = :bucketId and own.integration_id = u.integration_id
    and own.oauth_client_id = :clientId))`;

/** `isInRanges` with its values, for statements that are composed of parts. */
export function inRanges(column: Sql, ranges: readonly KeyRange[]): Sql {
  return bindParameters(isInRanges(column.text), rangeParameters(ranges));
}

/** `isShown` with its values, for statements that are composed of parts. */
export function uploadIsShown({ clientId, hidesUploads }: Visibility, bucketId: string): Sql {
  if (!hidesUploads) return bindParameters("true", {});
  return bindParameters(isShown, { bucketId, clientId: clientId ?? null });
}
