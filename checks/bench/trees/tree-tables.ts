import { threeDigits, wholeNumber, withSpread } from "../frame/figures.ts";
import { type Column, markdownTable } from "../frame/markdown-table.ts";
import { spreadOf } from "../frame/statistics.ts";
import type { ListsBesideRow } from "./measure-lists-beside.ts";
import type { TreeRow } from "./measure-trees.ts";

export function treesTable(rows: readonly TreeRow[]): string {
  return markdownTable(rows, [
    { title: "tree of", align: "left", cell: ({ kind }) => kind.name },
    right("ms", ({ tookMs }) => withSpread(tookMs)),
    right("time of COPY", ({ timeOfCopy }) => withSpread(timeOfCopy)),
    right("first byte, ms", ({ firstByteMs }) => withSpread(firstByteMs)),
    right("MB", ({ bytes }) => megabytes(bytes)),
    right("memory grows by, MiB", ({ grownBytes }) => mebibytes(grownBytes)),
    right("COPY, ms", ({ copyTookMs }) => withSpread(copyTookMs)),
    right("first byte, ms", ({ copyFirstByteMs }) => withSpread(copyFirstByteMs)),
    right("MB", ({ copyBytes }) => megabytes(copyBytes)),
    right("runs", ({ runs }) => `${runs}`),
  ]);
}

export function listsBesideTable(rows: readonly ListsBesideRow[]): string {
  return markdownTable(rows, [
    right("connections", ({ connections }) => `${connections}`),
    { title: "while", align: "left", cell: ({ beside }) => whileOf(beside) },
    right("requests/s", ({ lists }) => wholeNumber(spreadOf(lists.rates).median)),
    right("p50 ms", ({ lists }) => threeDigits(lists.latencyMs(50))),
    right("p99 ms", ({ lists }) => threeDigits(lists.latencyMs(99))),
    right("p99 of alone", (row) => threeDigits(p99OfAlone(row, rows))),
  ]);
}

/** How much longer the slowest hundredth takes than when nothing streams. */
export function p99OfAlone(row: ListsBesideRow, rows: readonly ListsBesideRow[]): number {
  const alone = rows.find(
    ({ connections, beside }) => connections === row.connections && beside === undefined,
  )!;
  return row.lists.latencyMs(99) / alone.lists.latencyMs(99);
}

export function whileOf(beside: ListsBesideRow["beside"]): string {
  return beside === undefined ? "nothing streams" : `a tree of ${beside.name} streams`;
}

export function mebibytes(bytes: number): string {
  return threeDigits(bytes / 2 ** 20);
}

function megabytes(bytes: number): string {
  return threeDigits(bytes / 1e6);
}

function right<Row>(title: string, cell: (row: Row) => string): Column<Row> {
  return { title, align: "right", cell };
}
