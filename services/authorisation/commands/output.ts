/** How the commands print: tables, lists of labelled lines, and JSON. */

/** Columns of a table: the heading, and the cell of a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

/** Prints rows as a table with a line of headings, or as a JSON array. */
export function printRows<Row>(rows: readonly Row[], columns: Columns<Row>, isJson = false): void {
  print(rows, () => tableText(rows, columns), isJson);
}

/** Prints a value as one line of JSON, or as text. */
export function print(value: unknown, text: () => string, isJson = false): void {
  process.stdout.write(isJson ? `${JSON.stringify(value)}\n` : text());
}

/** One line for each label with a value. */
export function labelledLines(
  lines: readonly (readonly [label: string, value: string | null | undefined])[],
): string {
  return lines.map(([label, value]) => (value ? `${label.padEnd(15)}${value}\n` : "")).join("");
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

function tableText<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const headings = Object.keys(columns);
  const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)));
  const lines = [headings, ...cells];
  const widths = headings.map((_, index) =>
    Math.max(...lines.map((line) => line[index]?.length ?? 0)),
  );
  return lines
    .map((line) => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}
