/** How the commands print: tables, lists of labelled lines, and JSON. */
import { printable, printText, tableText } from "@stowage/process";

/** Columns of a table: the heading, and the cell of a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

/**
 * Prints rows as a table with a line of headings, or as a JSON array. If there are none, it says so
 * on stderr: `none` is what there is none of, and how to get one.
 */
export function printRows<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  { json = false, none }: { json?: boolean | undefined; none: string },
): void {
  if (rows.length === 0 && !json) {
    printText(`no ${none}\n`, process.stderr);
    return;
  }
  const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)));
  print(rows, () => tableText(Object.keys(columns), cells), json);
}

/** Prints a value as one line of JSON, or as text. */
export function print(value: unknown, text: () => string, isJson = false): void {
  if (isJson) process.stdout.write(`${JSON.stringify(value)}\n`);
  else printText(text());
}

/** One line for each label with a value. */
export function labelledLines(
  lines: readonly (readonly [label: string, value: string | null | undefined])[],
): string {
  return lines
    .map(([label, value]) => (value ? `${label.padEnd(15)}${printable(value)}\n` : ""))
    .join("");
}

/** A Unix time in milliseconds as RFC 3339, to the second. */
export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, "Z");
}

/** Whether something is disabled, in a table. */
export function stateText({ disabledAt }: { disabledAt: Date | null }): string {
  return disabledAt === null ? "enabled" : "disabled";
}

/** A date without its time. */
export function dayText(time: Date): string {
  return time.toISOString().slice(0, 10);
}
