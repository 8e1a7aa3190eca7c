import { threeDigits, wholeNumber } from "../frame/figures.ts";
import { type Column, markdownTable } from "../frame/markdown-table.ts";
import { percentileOf } from "../frame/statistics.ts";
import type { SearchedList } from "./measure-search.ts";
import type { Term } from "./terms.ts";

export interface TermRow {
  readonly term: Term;
  readonly matches: number | undefined;
  readonly lists: readonly SearchedList[];
}

export function termsTable(rows: readonly TermRow[]): string {
  const table = markdownTable(rows, [
    { title: "term", align: "left", cell: ({ term }) => nameOf(term) },
    { title: "kind", align: "left", cell: ({ term }) => term.kind },
    right("found in", ({ matches }) => (matches === undefined ? "" : wholeNumber(matches))),
    right("p50 ms", ({ lists }) => threeDigits(percentileOf(latenciesOf(lists), 50))),
    right("p99 ms", ({ lists }) => threeDigits(percentileOf(latenciesOf(lists), 99))),
    { title: "slowest", align: "left", cell: ({ lists }) => placeOf(slowestFirst(lists)[0]!) },
  ]);
  return `**By term**, over all sorts, directions and parts of the bucket\n\n${table}`;
}

const slowestCount = 15;

export function slowestTable(lists: readonly SearchedList[]): string {
  const table = markdownTable(slowestFirst(lists).slice(0, slowestCount), [
    { title: "term", align: "left", cell: ({ term }) => nameOf(term) },
    { title: "where", align: "left", cell: placeOf },
    right("median ms", ({ latenciesMs }) => threeDigits(percentileOf(latenciesMs, 50))),
    right("max ms", ({ latenciesMs }) => threeDigits(Math.max(...latenciesMs))),
    right("requests", ({ latenciesMs }) => `${latenciesMs.length}`),
  ]);
  return `**The slowest lists**, by their medians\n\n${table}`;
}

/** Of those that had a turn. */
export function latenciesOf(lists: readonly SearchedList[]): number[] {
  return lists.flatMap(({ latenciesMs }) => latenciesMs);
}

function slowestFirst(lists: readonly SearchedList[]): SearchedList[] {
  return lists
    .filter(({ latenciesMs }) => latenciesMs.length > 0)
    .toSorted(
      (one, other) => percentileOf(other.latenciesMs, 50) - percentileOf(one.latenciesMs, 50),
    );
}

function nameOf({ text }: Term): string {
  return text === undefined ? "" : `\`${text}\``;
}

function placeOf({ shape }: SearchedList): string {
  return `${shape.scope}, ${shape.sortBy} ${shape.sortOrder}`;
}

function right<Row>(title: string, cell: (row: Row) => string): Column<Row> {
  return { title, align: "right", cell };
}
