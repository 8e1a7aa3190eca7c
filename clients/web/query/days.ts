/** The days of a time filter, as date fields show and set them. In UTC, as all days of a query. */
import { everyNumber, intersection } from "@stowage/api/query/intervals";
import { withFilter } from "./edit-query.ts";
import { readQuery } from "./page-query.ts";

export type TimeFilterName = "created" | "changed";

/** Like `2026-11-23`; empty if there is no bound. */
export interface Days {
  readonly first: string;
  readonly last: string;
}

/** The days in which the times of the filter begin and end. */
export function daysOf(query: string, name: TimeFilterName): Days {
  const times = readQuery(query)
    .filters.flatMap((part) =>
      "intervals" in part && part.name === name && !part.isExcluded ? [part.intervals] : [],
    )
    .reduce(intersection, everyNumber);
  return { first: dayAt(times[0]?.from), last: dayAt(times.at(-1)?.to) };
}

export function withDays(query: string, name: TimeFilterName, days: Days): string {
  return withFilter(query, name, writtenDays(days));
}

function writtenDays({ first, last }: Days): string {
  if (first === last) return first;
  if (last === "") return `>=${first}`;
  return first === "" ? `<=${last}` : `${first}..${last}`;
}

function dayAt(micros: bigint | undefined): string {
  if (micros === undefined) return "";
  // Before 1970, the last microsecond of a day must not become the first of the next.
  const milliseconds = (micros - (((micros % 1000n) + 1000n) % 1000n)) / 1000n;
  const day = new Date(Number(milliseconds)).toISOString().slice(0, 10);
  return isDay(day) ? day : "";
}

/** Whether the text is a day of the years 1 to 9999, like `2026-11-23`. Calls have no others. */
export function isDay(text: string): boolean {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
