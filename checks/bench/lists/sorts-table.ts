import { threeDigits, wholeNumber, withSpread } from "../frame/figures.ts";
import { type Column, markdownTable } from "../frame/markdown-table.ts";
import { spreadOf } from "../frame/statistics.ts";
import type { Reads } from "./measure-reads.ts";
import type { SortRow } from "./measure-sorts.ts";
import { latePage } from "./sorted-pages.ts";

export interface SortRowWithReads extends SortRow {
  readonly firstReads: Reads | undefined;
  readonly lateReads: Reads | undefined;
}

/** @param beside how many uploads the other data has, where there is any. */
export function sortsTable(rows: readonly SortRowWithReads[], beside: number | undefined): string {
  const table = markdownTable(rows, [
    { title: "of the", align: "left", cell: ({ shape }) => shape.scope },
    { title: "sorted by", align: "left", cell: ({ shape }) => shape.sortBy },
    { title: "", align: "left", cell: ({ shape }) => shape.sortOrder },
    right("requests/s", ({ first }) => wholeNumber(spreadOf(first.rates).median)),
    right("p50 ms", ({ first }) => threeDigits(first.latencyMs(50))),
    right("p99 ms", ({ first }) => threeDigits(first.latencyMs(99))),
    right("of floor", ({ ofFloor }) => withSpread(ofFloor)),
    right("time of newest", ({ timeOfNewest }) => withSpread(timeOfNewest)),
    right("rows", ({ firstReads }) => figure(firstReads?.rows)),
    right("buffers", ({ firstReads }) => figure(firstReads?.buffers)),
    right(`page ${latePage}: time of first`, ({ lateTimeOfFirst }) => withSpread(lateTimeOfFirst)),
    right("rows", ({ lateReads }) => figure(lateReads?.rows)),
    right("buffers", ({ lateReads }) => figure(lateReads?.buffers)),
    ...(beside === undefined ? [] : [timeOfOther(beside)]),
  ]);
  return `**Every sort**, 8 connections (${rows[0]!.first.rates.length} rounds)\n\n${table}`;
}

function timeOfOther(uploads: number): Column<SortRowWithReads> {
  const title = `time of the same in ${wholeNumber(uploads)}`;
  return right(title, (row) => (row.timeOfOther === undefined ? "" : withSpread(row.timeOfOther)));
}

function right(title: string, cell: (row: SortRowWithReads) => string): Column<SortRowWithReads> {
  return { title, align: "right", cell };
}

function figure(value: number | undefined): string {
  return value === undefined ? "" : wholeNumber(value);
}
