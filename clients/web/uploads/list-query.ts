/** What the page asks `ListUploads` for. */
import type { Address } from "../address/address.ts";
import type { ListEnd } from "./two-ended-list.ts";

/** The fields of a request that are the same for all pages of a list, as JSON has them. */
export interface ListQuery {
  readonly bucketRef: { readonly bucketId: string };
  readonly path?: string;
  readonly recursive?: boolean;
  readonly tags?: { readonly allOf: readonly string[] };
  readonly dateFrom?: string;
  readonly dateTo?: string;
  readonly search?: string;
  readonly sortBy: string;
  readonly sortOrder: "asc" | "desc";
}

export function listQueryOf(bucketId: string, address: Address): ListQuery {
  const { folder, search, tags, dateFrom, dateTo, sortBy, sortOrder } = address;
  const recursive = isDeep(address);
  return {
    bucketRef: { bucketId },
    // Everything under the root is the whole bucket.
    ...(recursive && folder === "/" ? {} : { path: folder, recursive }),
    ...(tags.length > 0 && { tags: { allOf: tags } }),
    ...(dateFrom !== "" && { dateFrom: startOfDay(dateFrom).toISOString() }),
    ...(dateTo !== "" && { dateTo: endOfDay(dateTo) }),
    ...(search !== "" && { search }),
    sortBy,
    sortOrder,
  };
}

/**
 * Whether uploads of folders under the folder are listed. A search always finds them: people do not
 * know in which folder a file is.
 */
export function isDeep({ isRecursive, search }: Address): boolean {
  return isRecursive || search !== "";
}

/** Whether totals of folders do not say how many uploads the list has. */
export function isFiltered({ search, tags, dateFrom, dateTo }: Address): boolean {
  return search !== "" || tags.length > 0 || dateFrom !== "" || dateTo !== "";
}

/** How many filters of the filter bar are set. Both days are one. */
export function filterCount({ tags, dateFrom, dateTo, isRecursive }: Address): number {
  return tags.length + (dateFrom + dateTo === "" ? 0 : 1) + (isRecursive ? 1 : 0);
}

/** The same list, read from one of its ends. */
export function readFrom(end: ListEnd, query: ListQuery): ListQuery {
  if (end === "start") return query;
  return { ...query, sortOrder: query.sortOrder === "asc" ? "desc" : "asc" };
}

/** Midnight in the reader's time zone. `day` is like `2026-11-23`. */
function startOfDay(day: string, daysLater = 0): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const start = new Date(0);
  // `new Date(year, …)` takes years below 100 for those of the twentieth century.
  start.setFullYear(year, month - 1, date + daysLater);
  start.setHours(0, 0, 0, 0);
  return new Date(Math.min(Math.max(start.getTime(), timeMinMs), timeEndMs));
}

/** Calls have the years 1 to 9999, by UTC: days at their ends may be partly outside. */
const timeMinMs = Date.parse("0001-01-01T00:00:00Z");
const timeEndMs = Date.parse("9999-12-31T23:59:59.999Z") + 1;

/** The last microsecond of the day: times are kept to the microsecond, and bounds are included. */
function endOfDay(day: string): string {
  const lastMillisecond = new Date(startOfDay(day, 1).getTime() - 1);
  return lastMillisecond.toISOString().replace("Z", "999Z");
}
