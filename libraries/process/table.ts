/** Tables that commands print for people. */
import { printable } from "./printable.ts";

/**
 * A table: the headings, and a line for each row, with columns as wide as their widest cell.
 * Columns of numbers are aligned to the right.
 *
 * A row that is wider than the terminal would be broken anywhere. If one is, each row is a block of
 * lines with a label each instead. Files and pipes always get the table.
 *
 * @param widthMax characters in a line of the terminal; default: that of stdout, if it is one
 */
export function tableText(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  widthMax = process.stdout.columns ?? Number.POSITIVE_INFINITY,
): string {
  const shown = rows.map((row) => row.map(printable));
  const lines = tableLines(headings, shown);
  const isFitting = lines.every((line) => line.length <= widthMax);
  return isFitting ? lines.map((line) => `${line}\n`).join("") : blocksText(headings, shown);
}

function tableLines(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [headings, ...rows];
  const widths = headings.map((_, at) => Math.max(...all.map((row) => (row[at] ?? "").length)));
  const isNumber = headings.map((_, at) => rows.every((row) => /^[\d,]+$/.test(row[at] ?? "0")));
  const cellText = (cell: string, at: number) =>
    isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0);
  return all.map((row) => row.map(cellText).join("  ").trimEnd());
}

function blocksText(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const width = Math.max(...headings.map((heading) => heading.length));
  const blocks = rows.map((row) =>
    headings.map((heading, at) => `${heading.padEnd(width)}  ${row[at] ?? ""}`.trimEnd()),
  );
  return blocks.map((lines) => `${lines.join("\n")}\n`).join("\n");
}
